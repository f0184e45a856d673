"""The screen of every status, and what it is told: one table from status to page."""

import itertools
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils.translation import gettext as _
from django.utils.translation import gettext_noop

from core.errors import CommonplaceError
from studies import kinds, languages, links, money, recruiter, selectors
from studies.models import Activity, ConsentDocument, Participant, Participation
from studies.participation import MOVES, OPEN, STATUSES, Action, Pay, Status
from studies.services import paying
from studies.services.entering import OTHER_REGION, TOOK_PART
from studies.setup import RewardKind
from studies.taking_part.forms import ConsentForm, RegionForm, ScreeningForm
from studies.taking_part.reading import order, reader

Context = dict[str, Any]
TO_PUT_RIGHT = 422  # a form with faults
SUMMARY = 160  # characters that tell what a study is about

TITLES = {
    Status.DECLINED: gettext_noop("You are not taking part"),
    Status.SCREENED_OUT: gettext_noop("Thank you, this study is not for you"),
    Status.QUOTA_FULL: gettext_noop("Thank you, all places are taken"),
    Status.ACCEPTED: gettext_noop("Your answers are accepted"),
    Status.REJECTED: gettext_noop("Your answers were not accepted"),
    Status.RETURNED: gettext_noop("Your place is given back"),
    Status.TIMED_OUT: gettext_noop("The time for this activity is over"),
    Status.CUT_SHORT: gettext_noop("This ended earlier than planned"),
    Status.WITHDRAWN: gettext_noop("You have withdrawn from this study"),
}

ARRIVED = kinds.Ending(
    gettext_noop("Thank you: your answers have arrived"),
    gettext_noop("They are saved, and the study team reads them next."),
)

# Of endings that mean more than their status says.
REASONS = {
    TOOK_PART: gettext_noop(
        "You have taken part in another activity of this study, and this one is for people who "
        "have not. You did nothing wrong."
    ),
    OTHER_REGION: gettext_noop(
        "This activity is for people of certain regions, and yours is not among them. You did "
        "nothing wrong."
    ),
}


@dataclass(frozen=True, slots=True)
class Text:
    """Words of the study team in the best language there is of them."""

    text: str
    tag: str
    direction: str


@dataclass(frozen=True, slots=True)
class Screen:
    template: str
    context: Callable[[Participation], Context]


def show(request: HttpRequest, row: Participation, **more: Any) -> HttpResponse:
    """The screen of the participation as it is now; `more` goes beside the screen's own words."""
    screen = _screen(row)
    form = more.get("form")
    status = TO_PUT_RIGHT if form is not None and form.is_bound and form.faults else 200
    context = {
        "reader": reader(row.activity.study, row.participant.language, row),
        "participation": row,
        "next_step": _next_step(row),
        "link": request.build_absolute_uri(links.personal(row)),
        "study_text": _study_text(row),
        **screen.context(row),
        **more,
    }
    return render(request, f"taking_part/{screen.template}.html", context, status=status)


def show_ways_out(request: HttpRequest, row: Participation, choice: str) -> HttpResponse:
    """What leaving means and the ways of it that the status allows; for the `choice` of giving
    the place back, which is one tap away from being final, whether it is meant."""
    allowed = MOVES[Status(row.status)]
    context = {
        "reader": reader(row.activity.study, row.participant.language, row),
        "link": request.build_absolute_uri(links.personal(row)),
        "open": row.status in OPEN,
        "may_give_back": Action.GIVE_BACK in allowed,
        "may_withdraw": Action.WITHDRAW in allowed,
    }
    asked_back = choice == "give_back" and context["may_give_back"]
    template = "give_back" if asked_back else "leave"
    return render(request, f"taking_part/{template}.html", context)


def about(activity: Activity, language: str) -> Context:
    """What somebody reads before they decide to begin."""
    study, asked = activity.study, order(activity.study, language)
    tag, name = languages.choose(activity.names, asked)
    document = selectors.newest_consent(study)
    return {
        "summary": _read(document, asked, _opening) if document else None,
        "activity": name or activity.slug,
        "activity_language": tag or language,
        "activity_direction": languages.direction(tag or language),
        "minutes": activity.minutes,
        "hourly": activity.reward == RewardKind.HOURLY,
        "amount": _money(activity, activity.amount_minor),
        "whole": _money(activity, _whole_reward(activity)),
        "ethics_number": study.ethics_number,
    }


def _screen(row: Participation) -> Screen:
    if row.participant.status == Participant.Status.WITHDRAWN:
        return SCREENS[Status.WITHDRAWN]
    if selectors.time_is_up(row):
        return Screen("time_is_up", lambda _row: {})
    if row.status == Status.SCREENING and self_identified(row):
        return Screen("region", _region)
    return SCREENS[Status(row.status)]


def self_identified(row: Participation) -> bool:
    """Whether the participant says which region they belong to, instead of where they have
    lived."""
    kind = kinds.of(row.activity)
    return kind is not None and kind.self_identified


def _welcome(row: Participation) -> Context:
    return about(row.activity, row.participant.language)


def _consent(row: Participation) -> Context:
    document = consent_document(row)
    asked = order(row.activity.study, row.participant.language)
    return {
        "study_text": _read(document, asked),
        "form": ConsentForm(document=document, asked=asked),
    }


def consent_document(row: Participation) -> ConsentDocument:
    """The newest of the study; raises `consent.none` while there is none to agree to."""
    document = selectors.newest_consent(row.activity.study)
    if document is None:
        raise CommonplaceError(
            "consent.none",
            _("The study team has not written yet what you would agree to. Come back later."),
            http_status=409,
        )
    return document


def _study_text(row: Participation) -> Text | None:
    """What the participant agreed to, or would: it says how to reach the study team."""
    agreed = selectors.agreed_consent(row.participant)
    document = agreed or selectors.newest_consent(row.activity.study)
    if document is None:
        return None
    return _read(document, order(row.activity.study, row.participant.language))


def _read(
    document: ConsentDocument, asked: Sequence[str], part: Callable[[str], str] = str
) -> Text:
    tag, text = languages.choose(document.texts, asked)
    return Text(part(text), tag, languages.direction(tag))


def _opening(text: str) -> str:
    """The first paragraphs, as many as make a summary."""
    paragraphs = re.split(r"\n\s*\n", text.strip())
    lengths = itertools.accumulate(map(len, paragraphs))
    enough = next((n for n, so_far in enumerate(lengths, 1) if so_far >= SUMMARY), len(paragraphs))
    return "\n\n".join(paragraphs[:enough])


def _screening(row: Participation) -> Context:
    study = row.activity.study
    return {"form": ScreeningForm(study=study, asked=order(study, row.participant.language))}


def _region(row: Participation) -> Context:
    study = row.activity.study
    return {"form": RegionForm(study=study, asked=order(study, row.participant.language))}


def _activity(row: Participation) -> Context:
    kind = kinds.of(row.activity)
    return about(row.activity, row.participant.language) | {
        "address": kind.address(row, links.token(row)) if kind else "",
        "progress": kind.progress(row) if kind else None,
    }


def _submitted(row: Participation) -> Context:
    told = _told(row, Status.SUBMITTED, ARRIVED)
    return _code(row) | told | {"pay": [_expected(row), *_earned(row)]}


def _next_step(row: Participation) -> str:
    meaning = STATUSES[Status(row.status)]
    by_link = "" if row.recruiter else meaning.by_link
    return _(by_link or meaning.next_step)


def _ending(status: Status) -> Callable[[Participation], Context]:
    def context(row: Participation) -> Context:
        meaning = STATUSES[status]
        usual = kinds.Ending(TITLES[status], REASONS.get(row.ended_reason, meaning.reason))
        return (
            _code(row)
            | _told(row, status, usual)
            | {"message": row.message, "pay": _pay(row, meaning.pay)}
            | {"may_reconsider": selectors.may_reconsider(row)}
        )

    return context


def _told(row: Participation, status: Status, usual: kinds.Ending) -> Context:
    """In words of the activity's kind where it has some of a status; whoever has withdrawn reads
    of that, whatever the status of the row."""
    kind = kinds.of(row.activity)
    own = kind.endings if kind else {}
    meant = own.get(row.ended_reason) if status == row.status else None
    told = meant or own.get(status, usual)
    return {"title": _(told.title), "reason": _(told.reason)}


def _code(row: Participation) -> Context:
    """The completion code of the status the row has, and where to hand it in; empty for none."""
    kind = STATUSES[Status(row.status)].code
    code = row.activity.codes.get(kind, "") if kind else ""
    address = recruiter.return_address(row.recruiter, code) if code else ""
    return {"code": code, "return_address": address}


def _earned(row: Participation) -> list[str]:
    """What the ledger holds, in sentences; none where it holds nothing."""
    earned, paid = paying.entered(row)
    told = []
    if earned:
        told.append(_("You have earned %(amount)s.") % {"amount": _money(row.activity, earned)})
    if earned and paid:
        told.append(_("%(amount)s of it is paid.") % {"amount": _money(row.activity, paid)})
    return told


def _pay(row: Participation, pay: Pay) -> list[str]:
    """What is paid, in sentences."""
    if told := _earned(row):
        return told
    if row.paid_decision == Participation.Paid.WITHHOLD:
        return [_("Nothing is paid for this, by decision of the study team.")]
    return [_(_NOTHING_YET[pay])]


def _expected(row: Participation) -> str:
    """What acceptance earns, by the time that was measured."""
    activity = row.activity
    amount = _money(activity, paying.reward(row, whole=True))
    if activity.reward != RewardKind.HOURLY:
        return _("You earn %(amount)s as soon as the study team has accepted your work.") % {
            "amount": amount
        }
    minutes, seconds = divmod(row.worked_ms // 1000, 60)
    return _(
        "You worked %(minutes)s min %(seconds)s s; at %(hourly)s an hour that is %(amount)s, as "
        "soon as the study team has accepted your work."
    ) % {
        "minutes": minutes,
        "seconds": seconds,
        "hourly": _money(activity, activity.amount_minor),
        "amount": amount,
    }


_NOTHING_YET = {
    Pay.NOTHING: gettext_noop("Nothing is paid for this."),
    Pay.TIME: gettext_noop("No working time was measured, so nothing is paid for it."),
    Pay.REWARD: gettext_noop("The reward is being worked out."),
    Pay.DECISION: gettext_noop("A person of the study team decides what is paid."),
}


def _whole_reward(activity: Activity) -> int:
    expected_ms = activity.minutes * 60_000
    return money.owed(
        activity.amount_minor,
        hourly=activity.reward == RewardKind.HOURLY,
        worked_ms=expected_ms,
        expected_ms=expected_ms,
    )


def _money(activity: Activity, amount: int) -> str:
    currency = activity.study.currency
    return f"{money.plain(amount, currency)} {currency}"


SCREENS: dict[Status, Screen] = {
    Status.INVITED: Screen("welcome", _welcome),
    Status.CONSENTING: Screen("consent", _consent),
    Status.SCREENING: Screen("screening", _screening),
    Status.ACTIVE: Screen("activity", _activity),
    Status.SUBMITTED: Screen("submitted", _submitted),
    Status.REDO: Screen("redo", _activity),
    **{status: Screen("ending", _ending(status)) for status in TITLES},
}
