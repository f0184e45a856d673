"""Waiting, games of two, and what was said in them.

`Game.state` and `version` are the truth of a game; `GameEvent` is its history without a word in it,
`Utterance` the words. `Turn` and `Seat` are kept beside them for those who ask.
"""

from django.db import models
from django.db.models import Q

from core import clock
from games.machine.state import Outcome, Phase, Player
from studies.codes import new_code
from studies.models import Activity, Artifact, Participation, Region


class GamePlan(models.Model):
    """The rules a study has chosen for a game activity (`games.rules.Rules`)."""

    activity = models.OneToOneField(Activity, on_delete=models.CASCADE, related_name="game_plan")
    rules = models.JSONField(default=dict)

    def __str__(self) -> str:
        return str(self.activity_id)


class Ticket(models.Model):
    """Somebody's place in the queue for a partner; `left_reason` says why it was given up."""

    class Status(models.TextChoices):
        WAITING = "waiting"
        MATCHED = "matched"
        LEFT = "left"

    participation = models.ForeignKey(
        Participation, on_delete=models.CASCADE, related_name="tickets"
    )
    activity = models.ForeignKey(Activity, on_delete=models.PROTECT, related_name="tickets")
    region = models.ForeignKey(Region, on_delete=models.PROTECT)
    language = models.CharField(max_length=35)
    status = models.CharField(max_length=8, choices=Status.choices, default=Status.WAITING)
    left_reason = models.CharField(max_length=40, blank=True)  # a code
    entered = models.DateTimeField(default=clock.now)
    last_seen = models.DateTimeField(default=clock.now)
    deadline = models.DateTimeField()  # the longest wait is over
    ended = models.DateTimeField(null=True)  # when it was matched or left
    game = models.ForeignKey("Game", null=True, on_delete=models.PROTECT, related_name="tickets")

    class Meta:
        ordering = ("pk",)
        constraints = (
            models.UniqueConstraint(
                fields=["participation"],
                condition=Q(status="waiting"),
                name="nobody_waits_twice",
            ),
            models.CheckConstraint(
                condition=Q(status="left", left_reason__gt="")
                | (~Q(status="left") & Q(left_reason="")),
                name="who_has_left_the_queue_has_a_reason_and_nobody_else",
            ),
        )
        indexes = (models.Index(fields=["activity", "status", "region"]),)

    def __str__(self) -> str:
        return f"{self.participation_id} {self.status}"


class Game(models.Model):
    activity = models.ForeignKey(Activity, on_delete=models.PROTECT, related_name="games")
    region = models.ForeignKey(Region, on_delete=models.PROTECT, related_name="games")
    code = models.CharField(max_length=10, unique=True, default=new_code)
    language = models.CharField(max_length=35, blank=True)
    phase = models.CharField(
        max_length=9, choices=[(each, each.value) for each in Phase], default=Phase.GATHERING
    )
    version = models.PositiveIntegerField(default=0)
    seq = models.PositiveIntegerField(default=0)  # how many events there are
    state = models.JSONField()  # games.machine.State
    rules = models.JSONField()  # games.rules.Rules as they were when it began
    cards = (
        models.JSONField()
    )  # of every artifact of the region then, as `games.dealing` makes them
    due = models.DateTimeField(null=True)  # when the clock changes something
    created = models.DateTimeField(default=clock.now)
    ended = models.DateTimeField(null=True)
    ended_reason = models.CharField(max_length=40, blank=True)  # a code

    class Meta:
        ordering = ("pk",)
        constraints = (
            models.CheckConstraint(
                condition=Q(phase="ended", ended__isnull=False, ended_reason__gt="")
                | (~Q(phase="ended") & Q(ended__isnull=True, ended_reason="")),
                name="a_game_that_has_ended_has_a_time_and_a_reason",
            ),
        )
        indexes = (
            models.Index(fields=["activity", "phase"]),
            models.Index(fields=["due"]),
        )

    def __str__(self) -> str:
        return f"{self.code} {self.phase}"


class Seat(models.Model):
    """Who plays at 0 and at 1; `open` while the game binds them. `tab` is the newest page that
    somebody has it open in, which alone may play by socket."""

    game = models.ForeignKey(Game, on_delete=models.CASCADE, related_name="seats")
    number = models.PositiveSmallIntegerField()
    participation = models.ForeignKey(
        Participation, null=True, on_delete=models.PROTECT, related_name="seats"
    )
    player = models.CharField(max_length=8, choices=[(each, each.value) for each in Player])
    open = models.BooleanField(default=True)
    left_reason = models.CharField(max_length=40, blank=True)  # a code, of who did not stay
    last_seen = models.DateTimeField(default=clock.now)
    tab = models.CharField(max_length=32, blank=True)

    class Meta:
        ordering = ("game", "number")
        constraints = (
            models.UniqueConstraint(fields=["game", "number"], name="a_seat_is_there_once"),
            models.UniqueConstraint(
                fields=["participation"],
                condition=Q(open=True),
                name="nobody_plays_two_games_at_once",
            ),
            models.CheckConstraint(condition=Q(number__in=[0, 1]), name="a_game_has_two_seats"),
        )

    def __str__(self) -> str:
        return f"{self.game_id}/{self.number}"


class Turn(models.Model):
    """One artifact described by one player; `accuracy` and `quality` are the guesser's, 1 to 5."""

    game = models.ForeignKey(Game, on_delete=models.CASCADE, related_name="turns")
    number = models.PositiveSmallIntegerField()
    giver = models.PositiveSmallIntegerField()
    artifact = models.ForeignKey(Artifact, on_delete=models.PROTECT, related_name="turns")
    outcome = models.CharField(
        max_length=8, choices=[(each, each.value) for each in Outcome], blank=True
    )
    accuracy = models.PositiveSmallIntegerField(null=True)
    quality = models.PositiveSmallIntegerField(null=True)
    begun = models.DateTimeField(default=clock.now)
    ended = models.DateTimeField(null=True)

    class Meta:
        ordering = ("game", "number")
        constraints = (
            models.UniqueConstraint(fields=["game", "number"], name="a_turn_is_there_once"),
            models.UniqueConstraint(
                fields=["game", "artifact"], name="an_artifact_is_described_once_a_game"
            ),
        )

    def __str__(self) -> str:
        return f"{self.game_id} turn {self.number}"


class Utterance(models.Model):
    """What somebody wrote in a game. `turn` is the number of its turn, 0 outside one; `seat` wrote
    it, or is warned. `source` is the clue of an earlier game that a recorded player repeats."""

    class Kind(models.TextChoices):
        CLUE = "clue"
        GUESS = "guess"
        PROPOSAL = "proposal"  # `text` is its name, `about` how they would describe it
        WARNING = "warning"

    class Verdict(models.TextChoices):
        SAID = "said"  # of a clue the partner reads, of a warning
        BLOCKED = "blocked"  # by the rules: `reason` says which
        APPEALED = "appealed"
        ALLOWED = "allowed"  # by a moderator, when its turn was over
        REFUSED = "refused"  # by a moderator
        RIGHT = "right"
        NEAR = "near"  # the giver is asked
        DOUBTFUL = "doubtful"  # a moderator is asked
        WRONG = "wrong"
        PROPOSED = "proposed"
        CONFIRMED = "confirmed"  # by the partner
        DENIED = "denied"

    game = models.ForeignKey(Game, on_delete=models.CASCADE, related_name="utterances")
    turn = models.PositiveSmallIntegerField()
    kind = models.CharField(max_length=8, choices=Kind.choices)
    number = models.PositiveSmallIntegerField()
    seat = models.PositiveSmallIntegerField()
    artifact = models.ForeignKey(
        Artifact, null=True, on_delete=models.PROTECT, related_name="utterances"
    )
    text = models.TextField(blank=True)
    folded = models.TextField(blank=True)  # core.text.fold of the text
    about = models.TextField(blank=True)
    verdict = models.CharField(max_length=9, choices=Verdict.choices)
    reason = models.CharField(max_length=40, blank=True)  # a code of games.clues
    decided_by = models.CharField(max_length=200, blank=True)  # rule, giver, partner, an address
    struck = models.BooleanField(default=False)
    removed = models.BooleanField(default=False)  # with a withdrawal: the words are gone
    source = models.ForeignKey("self", null=True, on_delete=models.PROTECT, related_name="repeated")
    at = models.DateTimeField(default=clock.now)

    class Meta:
        ordering = ("game", "turn", "pk")
        constraints = (
            models.UniqueConstraint(
                fields=["game", "turn", "kind", "seat", "number"],
                name="what_was_said_is_numbered_once",
            ),
        )
        indexes = (models.Index(fields=["artifact", "kind"]),)

    def __str__(self) -> str:
        return f"{self.kind} {self.number} of turn {self.turn}"


class GameEvent(models.Model):
    """What happened, in order; `games.machine.events` folds it to the state. No words. `nonce` is
    the sender's number of the command, on its first event."""

    game = models.ForeignKey(Game, on_delete=models.CASCADE, related_name="events")
    seq = models.PositiveIntegerField()
    seat = models.PositiveSmallIntegerField(null=True)
    nonce = models.CharField(max_length=40, blank=True)
    kind = models.CharField(max_length=16)
    data = models.JSONField(default=dict)
    by = models.CharField(max_length=200, blank=True)  # a moderator's address
    at = models.DateTimeField(default=clock.now)

    class Meta:
        ordering = ("game", "seq")
        constraints = (
            models.UniqueConstraint(fields=["game", "seq"], name="an_event_is_there_once"),
            models.UniqueConstraint(
                fields=["game", "seat", "nonce"],
                condition=~Q(nonce=""),
                name="a_command_is_followed_once",
            ),
        )

    def __str__(self) -> str:
        return f"{self.game_id}#{self.seq} {self.kind}"


class Vetting(models.Model):
    """What a player says of an artifact after the game."""

    game = models.ForeignKey(Game, on_delete=models.CASCADE, related_name="vettings")
    seat = models.PositiveSmallIntegerField()
    artifact = models.ForeignKey(Artifact, on_delete=models.PROTECT, related_name="vettings")
    known = models.BooleanField()
    shared = models.CharField(max_length=10)  # games.machine.commands.Shared
    at = models.DateTimeField(default=clock.now)

    class Meta:
        ordering = ("pk",)
        constraints = (
            models.UniqueConstraint(
                fields=["game", "seat", "artifact"], name="a_player_vets_an_artifact_once"
            ),
        )

    def __str__(self) -> str:
        return f"{self.game_id}/{self.seat} {self.artifact_id}"
