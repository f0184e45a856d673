"""The life of a participation: one person's one attempt at one activity.

The two tables below are all there is to know. `STATUSES` says what every status shows, who acts
next and what it means for quota and pay; `MOVES` says what may happen in it. Every other action
is refused with a reason. Payment and inclusion are decisions of people, kept beside the status.
"""

from dataclasses import dataclass
from enum import StrEnum

from core.catalogue import gettext_noop as _
from core.errors import CommonplaceError


class Status(StrEnum):
    INVITED = "invited"
    CONSENTING = "consenting"
    SCREENING = "screening"
    ACTIVE = "active"
    SUBMITTED = "submitted"
    REDO = "redo"
    DECLINED = "declined"
    SCREENED_OUT = "screened_out"
    QUOTA_FULL = "quota_full"
    ACCEPTED = "accepted"
    REJECTED = "rejected"
    RETURNED = "returned"
    TIMED_OUT = "timed_out"
    CUT_SHORT = "cut_short"
    WITHDRAWN = "withdrawn"


class Action(StrEnum):
    OPEN = "open"  # the participant opens the link and goes on
    CONSENT = "consent"
    DECLINE = "decline"
    SCREEN_OUT = "screen_out"  # the participant, by their answers, does not fit the study
    TURN_AWAY = "turn_away"  # they fit, and no place in their region is left
    ADMIT = "admit"  # they fit, and a place is theirs
    SUBMIT = "submit"
    ACCEPT = "accept"
    ASK_AGAIN = "ask_again"
    REJECT = "reject"
    GIVE_BACK = "give_back"  # the participant gives the place back
    TIME_OUT = "time_out"
    CUT_SHORT = "cut_short"  # the study or a partner ended it, not the participant
    WITHDRAW = "withdraw"


class Code(StrEnum):
    """The kinds of completion code; an activity has one code of each."""

    COMPLETED = "completed"
    NO_CONSENT = "no_consent"
    SCREENED_OUT = "screened_out"
    QUOTA_FULL = "quota_full"
    RETURNED = "returned"
    TIMED_OUT = "timed_out"
    CUT_SHORT = "cut_short"
    WITHDRAWN = "withdrawn"


class Pay(StrEnum):
    NOTHING = "nothing"
    TIME = "time"  # the time spent
    REWARD = "reward"  # the whole reward
    DECISION = "decision"  # a person decides


@dataclass(frozen=True, slots=True)
class Rejection:
    """`reason` is a code of the kind's own, `text` what the participant reads; `pay` may be the
    time spent, the whole reward or, where the kind allows it, nothing."""

    reason: str
    text: str
    pay: Pay


class Waiting(StrEnum):
    """Who acts next."""

    PARTICIPANT = "participant"
    RESEARCHER = "researcher"
    NOBODY = "nobody"


@dataclass(frozen=True, slots=True)
class About:
    """What a status means. `next_step` is what a participant reads whom a recruiter sent,
    `by_link` what one reads who came by a personal link of the team's, where that is another;
    `code` is shown from this status on; `reason` says of an ending what happened and is empty for
    all others."""

    screen: str
    next_step: str
    waiting: Waiting
    holds_slot: bool
    pay: Pay
    code: Code | None = None
    reason: str = ""
    by_link: str = ""

    @property
    def ending(self) -> bool:
        return bool(self.reason)


_YOU, _TEAM, _END = Waiting.PARTICIPANT, Waiting.RESEARCHER, Waiting.NOBODY
_COPY = _("Copy the code and give it to the service that invited you.")
_KEEP = _("Keep this code. The study team pays you what you have earned.")

STATUSES: dict[Status, About] = {
    Status.INVITED: About(
        "welcome", _("Read what the study is about, then go on."), _YOU, False, Pay.NOTHING
    ),
    Status.CONSENTING: About(
        "consent", _("Decide whether you want to take part."), _YOU, False, Pay.NOTHING
    ),
    Status.SCREENING: About(
        "screening",
        _("Answer a few questions about where you have lived."),
        _YOU,
        False,
        Pay.NOTHING,
    ),
    Status.ACTIVE: About("activity", _("Go on where you stopped."), _YOU, True, Pay.TIME),
    Status.SUBMITTED: About(
        "submitted",
        _COPY,
        _TEAM,
        holds_slot=True,
        pay=Pay.DECISION,
        code=Code.COMPLETED,
        by_link=_KEEP,
    ),
    Status.REDO: About(
        "redo", _("Read what is asked of you, then change your answers."), _YOU, True, Pay.DECISION
    ),
    Status.DECLINED: About(
        "declined",
        _COPY,
        _END,
        holds_slot=False,
        pay=Pay.NOTHING,
        code=Code.NO_CONSENT,
        reason=_("You chose not to take part, and nothing about you was kept."),
        by_link=_("Nothing is left to do. You can close this page."),
    ),
    Status.SCREENED_OUT: About(
        "screened_out",
        _COPY,
        _END,
        holds_slot=False,
        pay=Pay.TIME,
        code=Code.SCREENED_OUT,
        reason=_("The study looks for people with another history. You did nothing wrong."),
        by_link=_KEEP,
    ),
    Status.QUOTA_FULL: About(
        "quota_full",
        _COPY,
        _END,
        holds_slot=False,
        pay=Pay.TIME,
        code=Code.QUOTA_FULL,
        reason=_("All places for people from your region are taken."),
        by_link=_KEEP,
    ),
    Status.ACCEPTED: About(
        "accepted",
        _("Nothing is left to do. You can still withdraw."),
        _END,
        holds_slot=True,
        pay=Pay.REWARD,
        code=Code.COMPLETED,
        reason=_("Your answers were accepted."),
    ),
    Status.REJECTED: About(
        "rejected",
        _(
            "If you think this is wrong, write to the study team: its address is in the text about "
            "the study."
        ),
        _END,
        holds_slot=False,
        pay=Pay.DECISION,
        code=Code.COMPLETED,
        reason=_("A person of the study team read your answers and could not use them."),
    ),
    Status.RETURNED: About(
        "returned",
        _COPY,
        _END,
        holds_slot=False,
        pay=Pay.TIME,
        code=Code.RETURNED,
        reason=_("You gave your place back."),
        by_link=_KEEP,
    ),
    Status.TIMED_OUT: About(
        "timed_out",
        _(
            "Copy the code. If something kept you from going on, write to the study team: its "
            "address is in the text about the study."
        ),
        _END,
        holds_slot=False,
        pay=Pay.DECISION,
        code=Code.TIMED_OUT,
        reason=_("The time for this activity ran out, and your place went to somebody else."),
    ),
    Status.CUT_SHORT: About(
        "cut_short",
        _COPY,
        _END,
        holds_slot=False,
        pay=Pay.TIME,
        code=Code.CUT_SHORT,
        reason=_("The activity ended early through no fault of yours."),
        by_link=_KEEP,
    ),
    Status.WITHDRAWN: About(
        "withdrawn",
        _("Nothing is left to do. What you had earned stays yours."),
        _END,
        holds_slot=False,
        pay=Pay.TIME,
        code=Code.WITHDRAWN,
        reason=_("You withdrew, and what you wrote is removed."),
    ),
}

# What may happen before somebody is in, while they are at it, and at any time.
_LEAVING = {
    Action.GIVE_BACK: Status.RETURNED,
    Action.TIME_OUT: Status.TIMED_OUT,
    Action.WITHDRAW: Status.WITHDRAWN,
}
_CUT = {Action.CUT_SHORT: Status.CUT_SHORT}
_WITHDRAWING = {Action.WITHDRAW: Status.WITHDRAWN}

MOVES: dict[Status, dict[Action, Status]] = {
    Status.INVITED: {Action.OPEN: Status.CONSENTING, Action.DECLINE: Status.DECLINED} | _LEAVING,
    Status.CONSENTING: {
        Action.CONSENT: Status.SCREENING,
        Action.DECLINE: Status.DECLINED,
        Action.SCREEN_OUT: Status.SCREENED_OUT,  # who has taken part in what rules this out
    }
    | _LEAVING,
    Status.SCREENING: {
        Action.ADMIT: Status.ACTIVE,
        Action.SCREEN_OUT: Status.SCREENED_OUT,
        Action.TURN_AWAY: Status.QUOTA_FULL,
    }
    | _LEAVING
    | _CUT,
    Status.ACTIVE: {Action.SUBMIT: Status.SUBMITTED} | _LEAVING | _CUT,
    Status.SUBMITTED: {
        Action.ACCEPT: Status.ACCEPTED,
        Action.ASK_AGAIN: Status.REDO,
        Action.REJECT: Status.REJECTED,
    }
    | _WITHDRAWING,
    Status.REDO: {Action.SUBMIT: Status.SUBMITTED} | _LEAVING | _CUT,
    Status.DECLINED: {Action.OPEN: Status.CONSENTING},  # it may have been a slip of the finger
    Status.SCREENED_OUT: _WITHDRAWING,
    Status.QUOTA_FULL: _WITHDRAWING,
    Status.ACCEPTED: _WITHDRAWING,
    Status.REJECTED: {Action.ACCEPT: Status.ACCEPTED} | _WITHDRAWING,  # an appeal may succeed
    Status.RETURNED: _WITHDRAWING,
    Status.TIMED_OUT: _WITHDRAWING,
    Status.CUT_SHORT: _WITHDRAWING,
    Status.WITHDRAWN: {},
}

OPEN = tuple(status for status, about in STATUSES.items() if not about.ending)
ENDINGS = tuple(status for status, about in STATUSES.items() if about.ending)
HOLDING = tuple(status for status, about in STATUSES.items() if about.holds_slot)


def after(status: Status, action: Action) -> Status:
    """The status an action leads to.

    Raises `participation.repeated` where the status is what the action led to already (a door
    may answer as if it had just happened), `participation.ended` and `participation.not_now`.
    """
    if action in MOVES[status]:
        return MOVES[status][action]
    about = STATUSES[status]
    if any(moves.get(action) == status for moves in MOVES.values()):
        code, sentence = "participation.repeated", "This has already happened."
    elif about.ending:
        code, sentence = "participation.ended", f"This participation has ended. {about.reason}"
    else:
        code, sentence = "participation.not_now", "This cannot be done now."
    raise CommonplaceError(
        code,
        f"{sentence} {about.next_step}",
        http_status=409,
        status=status.value,
        action=action.value,
    )
