"""The rows of games, to read. Lists show no word anybody wrote; the page of one utterance does."""

from django.contrib import admin

from core.admin import ReadOnlyAdmin, site
from games.models import Game, GameEvent, GamePlan, Seat, Ticket, Turn, Utterance, Vetting


@admin.register(GamePlan, site=site)
class GamePlanAdmin(ReadOnlyAdmin):
    list_display = ("activity", "rules")
    list_select_related = ("activity",)


@admin.register(Ticket, site=site)
class TicketAdmin(ReadOnlyAdmin):
    list_display = ("participant", "activity", "region", "status", "left_reason", "entered")
    list_select_related = ("participation__participant", "activity", "region")
    list_filter = ("status",)
    ordering = ("-pk",)

    @admin.display(description="participant")
    def participant(self, ticket: Ticket) -> str:
        return ticket.participation.participant.code


@admin.register(Game, site=site)
class GameAdmin(ReadOnlyAdmin):
    list_display = ("code", "activity", "region", "phase", "version", "ended_reason", "created")
    list_select_related = ("activity", "region")
    list_filter = ("phase",)
    search_fields = ("code__exact",)
    ordering = ("-pk",)


@admin.register(Seat, site=site)
class SeatAdmin(ReadOnlyAdmin):
    list_display = ("game", "number", "player", "open", "left_reason", "last_seen")
    list_select_related = ("game",)
    ordering = ("-pk",)


@admin.register(Turn, site=site)
class TurnAdmin(ReadOnlyAdmin):
    list_display = ("game", "number", "giver", "artifact", "outcome", "accuracy", "quality")
    list_select_related = ("game", "artifact")
    ordering = ("-pk",)


@admin.register(Utterance, site=site)
class UtteranceAdmin(ReadOnlyAdmin):
    list_display = ("game", "turn", "kind", "number", "seat", "verdict", "struck", "removed")
    list_select_related = ("game",)
    list_filter = ("kind", "verdict")
    ordering = ("-pk",)


@admin.register(GameEvent, site=site)
class GameEventAdmin(ReadOnlyAdmin):
    list_display = ("game", "seq", "seat", "kind", "at")
    list_select_related = ("game",)
    ordering = ("-pk",)


@admin.register(Vetting, site=site)
class VettingAdmin(ReadOnlyAdmin):
    list_display = ("game", "seat", "artifact", "known", "shared")
    list_select_related = ("game", "artifact")
    ordering = ("-pk",)
