"""The rows of studies, to read. How a recruiter knows somebody is not among them."""

from django.contrib import admin

from core.admin import ReadOnlyAdmin, site
from studies.models import (
    Activity,
    Artifact,
    ArtifactApart,
    ArtifactName,
    ArtifactSource,
    Consent,
    ConsentDocument,
    LedgerEntry,
    Membership,
    Participant,
    Participation,
    Place,
    Region,
    Residence,
    Study,
)


@admin.register(Study, site=site)
class StudyAdmin(ReadOnlyAdmin):
    list_display = ("slug", "status", "country", "simulated", "created")
    list_filter = ("status",)


@admin.register(Region, site=site)
class RegionAdmin(ReadOnlyAdmin):
    list_display = ("slug", "study", "language", "target")
    list_select_related = ("study",)


@admin.register(Place, site=site)
class PlaceAdmin(ReadOnlyAdmin):
    list_display = ("name", "region", "study")
    list_select_related = ("region", "study")


@admin.register(Membership, site=site)
class MembershipAdmin(ReadOnlyAdmin):
    list_display = ("user", "study", "role")
    list_select_related = ("user", "study")


@admin.register(Activity, site=site)
class ActivityAdmin(ReadOnlyAdmin):
    list_display = ("slug", "study", "kind", "phase", "minutes")
    list_select_related = ("study",)
    exclude = ("codes",)


@admin.register(ConsentDocument, site=site)
class ConsentDocumentAdmin(ReadOnlyAdmin):
    list_display = ("version", "study", "sha256", "created")
    list_select_related = ("study",)


@admin.register(Participant, site=site)
class ParticipantAdmin(ReadOnlyAdmin):
    list_display = ("code", "study", "region", "language", "status", "simulated")
    list_select_related = ("study", "region")
    list_filter = ("status",)
    search_fields = ("code__exact",)
    ordering = ("-pk",)


@admin.register(Residence, site=site)
class ResidenceAdmin(ReadOnlyAdmin):
    list_display = ("participant", "place", "from_year", "to_year")
    list_select_related = ("participant", "place")
    ordering = ("-pk",)


@admin.register(Participation, site=site)
class ParticipationAdmin(ReadOnlyAdmin):
    list_display = ("participant", "activity", "attempt", "status", "included", "paid_decision")
    list_select_related = ("participant", "activity")
    list_filter = ("status",)
    search_fields = ("participant__code__exact",)
    exclude = ("code", "recruiter_session")
    ordering = ("-pk",)


@admin.register(Consent, site=site)
class ConsentAdmin(ReadOnlyAdmin):
    list_display = ("participant", "document", "language", "at")
    list_select_related = ("participant", "document")
    ordering = ("-pk",)


@admin.register(LedgerEntry, site=site)
class LedgerEntryAdmin(ReadOnlyAdmin):
    list_display = ("participation", "kind", "amount_minor", "currency", "at")
    list_select_related = ("participation",)
    ordering = ("-pk",)


@admin.register(Artifact, site=site)
class ArtifactAdmin(ReadOnlyAdmin):
    list_display = ("code", "study", "region", "origin", "status", "merged_into")
    list_select_related = ("study", "region", "merged_into")
    list_filter = ("status", "origin")
    search_fields = ("code__exact",)
    ordering = ("-pk",)


@admin.register(ArtifactName, site=site)
class ArtifactNameAdmin(ReadOnlyAdmin):
    list_display = ("artifact", "kind", "text", "language", "script")
    list_select_related = ("artifact",)
    list_filter = ("kind",)
    ordering = ("-pk",)


@admin.register(ArtifactSource, site=site)
class ArtifactSourceAdmin(ReadOnlyAdmin):
    list_display = ("artifact", "participant", "answer_ref", "place")
    list_select_related = ("artifact", "participant")
    ordering = ("-pk",)


@admin.register(ArtifactApart, site=site)
class ArtifactApartAdmin(ReadOnlyAdmin):
    list_display = ("study", "first", "second")
    list_select_related = ("study",)
    ordering = ("-pk",)
