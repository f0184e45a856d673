"""Every read of studies that is more than a filter."""

from collections.abc import Iterable
from dataclasses import dataclass, field

from django.contrib.auth.models import AnonymousUser
from django.db.models import Exists, OuterRef, Q, QuerySet
from django.urls import reverse

from accounts.models import User
from core import clock
from core.errors import CommonplaceError, NotFound
from core.models import AuditEntry
from core.prepared import Prepared
from studies import consent_start, kinds, languages, participation
from studies.models import (
    Activity,
    Consent,
    ConsentDocument,
    Participant,
    Participation,
    Region,
    Study,
)
from studies.participation import Status
from studies.permissions import CAPABILITIES, Capability, Role
from studies.setup import ActivityKind
from studies.steps import Next

ENOUGH_REGIONS = 2


def may_create(user: User | AnonymousUser) -> bool:
    return user.is_superuser


def visible_slugs(user: User) -> list[str]:
    """Short names of the studies this user can see."""
    return list(Study.objects.visible_to(user).values_list("slug", flat=True))


def access_study(user: User | AnonymousUser, slug: str, capability: Capability) -> Study:
    """A study in which this user has the capability.

    Raises `study.unknown` (404) to who is no member, and `study.not_allowed` (403) to a member
    whose role does not reach.
    """
    study = Study.objects.visible_to(user).filter(slug=slug).first()
    if study is None:
        raise NotFound(
            "study.unknown",
            f"You have no study “{slug}”. Choose one from your list, or ask its owner to add you.",
            study=slug,
        )
    if capability not in capabilities(user, study):
        raise CommonplaceError(
            "study.not_allowed",
            "Your role in this study does not reach so far. Ask an owner of the study to do it "
            "or to change your role.",
            http_status=403,
            study=slug,
            needs=capability.value,
        )
    return study


def find_study(slug: str) -> Study:
    """A study by its short name, for the command line, which reaches all.

    Raises `study.unknown`.
    """
    study = Study.objects.filter(slug=slug).first()
    if study is None:
        raise NotFound(
            "study.unknown",
            f"There is no study “{slug}”. Check its short name, which is in its address.",
            study=slug,
        )
    return study


def capabilities(user: User | AnonymousUser, study: Study) -> frozenset[Capability]:
    """An administrator has every capability in every study; a member those of the role."""
    if user.is_superuser:
        return frozenset(Capability)
    if not user.is_authenticated:
        return frozenset()
    membership = study.memberships.filter(user=user).first()
    return CAPABILITIES[Role(membership.role)] if membership else frozenset()


def access_region(study: Study, slug: str) -> Region:
    """A region of a study already accessed; raises `region.unknown`."""
    region = study.regions.filter(slug=slug).first()
    if region is None:
        raise NotFound(
            "region.unknown",
            f"This study has no region “{slug}”. Choose one from its list.",
            region=slug,
        )
    return region


def access_activity(study: Study, slug: str) -> Activity:
    """An activity of a study already accessed; raises `activity.unknown`."""
    activity = study.activities.filter(slug=slug).first()
    if activity is None:
        raise NotFound(
            "activity.unknown",
            f"This study has no activity “{slug}”. Choose one from its page.",
            activity=slug,
        )
    return activity


def time_is_up(row: Participation) -> bool:
    """Whether the deadline of an open participation has passed, ended as such already or not."""
    moves = participation.MOVES[participation.Status(row.status)]
    runs_out = participation.Action.TIME_OUT in moves
    return runs_out and row.deadline is not None and row.deadline < clock.now()


def may_reconsider(row: Participation) -> bool:
    """Whether who has declined may decide anew: not once a recruiter has their code, or after the
    deadline."""
    declined = row.status == participation.Status.DECLINED and not row.recruiter
    return declined and (row.deadline is None or row.deadline >= clock.now())


_newest_consent: Prepared[ConsentDocument] = Prepared(
    lambda study: ConsentDocument.objects.filter(study=study).order_by("-version")[:1], int
)
_agreed: Prepared[ConsentDocument] = Prepared(
    lambda participant: ConsentDocument.objects.filter(consent__participant=participant).order_by(
        "-consent__pk"
    )[:1],
    int,
)


def newest_consent(study: Study) -> ConsentDocument | None:
    return _newest_consent.first(study.pk)


def agreed_consent(participant: Participant) -> ConsentDocument | None:
    """What the participant agreed to last."""
    return _agreed.first(participant.pk)


@dataclass(frozen=True)
class Check:
    """A part of the set-up: `page` is the name of the URL where it is done, `missing` what it
    still needs, `wanting` what may stay as it is."""

    title: str
    page: str
    study: str
    state: str
    missing: list[str]
    wanting: list[str] = field(default_factory=list)

    @property
    def address(self) -> str:
        return reverse(self.page, args=(self.study,))

    @property
    def done(self) -> bool:
        return not self.missing


def checklist(study: Study) -> list[Check]:
    """The parts of the set-up in the order to do them in."""
    regions, activities = list(study.regions.all()), list(study.activities.all())
    wanted = sum(region.target for region in regions)
    consent = newest_consent(study)
    return [
        Check(
            "Facts",
            "studies:facts",
            study.slug,
            f"{study.country}, {in_english(study.languages)}, {study.currency}",
            _untranslated("the study's name", study.names, study),
        ),
        Check(
            "Regions",
            "studies:regions",
            study.slug,
            f"{counted(len(regions), 'region')}, {counted(wanted, 'participant')} wanted",
            _missing_of_regions(study, regions),
            _wanting_of_places(study),
        ),
        Check(
            "Activity",
            "studies:activities",
            study.slug,
            ", ".join(activity.name for activity in activities) or "none yet",
            _missing_of_activities(study, activities),
        ),
        Check(
            "Consent",
            "studies:consent",
            study.slug,
            f"version {consent.version}" if consent else "not written yet",
            _missing_of_consent(study, consent),
        ),
        *_parts_of_kinds(study, activities),
    ]


def _parts_of_kinds(study: Study, activities: list[Activity]) -> list[Check]:
    """What the rooms of the activities need, each room once."""
    found: dict[str, Check] = {}
    if not activities:
        first = ["an activity, which comes first"]
        return [Check(part.title, part.page, study.slug, "", first) for part in kinds.early_parts()]
    for activity in activities:
        kind = kinds.of(activity)
        if kind is None or kind.part is None:
            continue
        part, missing, state = kind.part, kind.missing(activity), kind.part.state(activity)
        if before := found.get(part.page):
            missing = [*before.missing, *(each for each in missing if each not in before.missing)]
            state = f"{before.state}; {state}"
        found[part.page] = Check(part.title, part.page, study.slug, state, missing)
    return list(found.values())


def _missing_of_regions(study: Study, regions: list[Region]) -> list[str]:
    missing = []
    if len(regions) < ENOUGH_REGIONS:
        missing.append("at least two regions, since a study compares them")
    housed = set(study.places.values_list("region_id", flat=True))
    for region in regions:
        name = languages.choose(region.names, study.languages)[1] or region.slug
        if region.pk not in housed:
            missing.append(f"the places of {name}")
        if not region.target:
            missing.append(f"how many participants {name} needs")
        missing += _untranslated(f"the name of {name}", region.names, study)
        missing += _untranslated(f"the words that say where {name} is", region.phrases, study)
        if region.language not in study.languages:
            missing.append(f"a language of the study for {name}")
    return missing


def _wanting_of_places(study: Study) -> list[str]:
    """Languages in which places are shown by their names in another."""
    places = list(study.places.all())
    bare = {tag: sum(tag not in place.names for place in places) for tag in study.languages}
    return [
        f"{counted(count, 'place')} {'has' if count == 1 else 'have'} no name in "
        f"{languages.in_english(tag)}"
        for tag, count in bare.items()
        if count
    ]


def _missing_of_activities(study: Study, activities: list[Activity]) -> list[str]:
    if not activities:
        return ["an activity with its reward"]
    missing = []
    for activity in activities:
        missing += _untranslated(f"the name of {activity.name}", activity.names, study)
        if kinds.of(activity) is None:
            missing.append(
                f"another activity in place of {activity.name}, since this version cannot run a "
                f"{activity.kind}"
            )
    return missing


def _missing_of_consent(study: Study, consent: ConsentDocument | None) -> list[str]:
    if consent is None:
        return ["what participants are told, and what they may agree to"]
    missing = _untranslated("the consent text", consent.texts, study)
    for purpose, texts in consent.purposes.items():
        name = purpose.replace("_", " ")
        missing += _untranslated(f"the sentence for “{name}”", texts, study)
    written = [consent.texts, *consent.purposes.values()]
    blanks = consent_start.blanks(text for texts in written for text in texts.values())
    return missing + [f"what belongs in place of {blank} in the consent text" for blank in blanks]


def _untranslated(what: str, texts: languages.Texts, study: Study) -> list[str]:
    absent = languages.missing(texts, study.languages)
    return [f"{what} in {in_english(absent)}"] if absent else []


def in_english(tags: Iterable[str]) -> str:
    """`English (en), Spanish (es)`."""
    return ", ".join(map(languages.in_english, tags))


def took_part_elsewhere(row: Participation) -> bool:
    """Whether the participant has agreed to take part in another activity of the study."""
    others = row.participant.participations.exclude(activity=row.activity_id)
    agreed = Consent.objects.filter(
        participant=OuterRef("participant"), at__gte=OuterRef("created"), at__lte=OuterRef("ended")
    )
    went_on = ~Q(status__in=_BEFORE_CONSENT) & ~Q(status__in=_PERHAPS_BEFORE_CONSENT)
    return others.filter(went_on | Q(Exists(agreed), status__in=_PERHAPS_BEFORE_CONSENT)).exists()


_BEFORE_CONSENT = (Status.INVITED, Status.CONSENTING, Status.DECLINED)
_PERHAPS_BEFORE_CONSENT = (
    Status.RETURNED,
    Status.TIMED_OUT,
    Status.SCREENED_OUT,
    Status.WITHDRAWN,
)


def counted(number: int, thing: str) -> str:
    """`1 region`, `1,200 regions`."""
    return f"{number:,} {thing}{'' if number == 1 else 's'}"


def waiting(study: Study) -> list[kinds.Waiting]:
    """What has been changed in an open study and nobody is asked yet."""
    if study.status == Study.Status.SET_UP:
        return []
    rooms = [(kinds.of(activity), activity) for activity in study.activities.all()]
    found = [room.waiting(activity) for room, activity in rooms if room]
    return [each for each in found if each]


def not_ready(activity: Activity) -> str:
    """Of whom people cannot begin yet and what to do about it, in a sentence; empty where all
    can."""
    kind = kinds.of(activity)
    return kind.not_ready(activity) if kind else ""


def not_ready_of(study: Study, kind: ActivityKind) -> list[str]:
    """The same of all activities of a kind, each sentence once."""
    said = (not_ready(activity) for activity in _activities(study).filter(kind=kind))
    return list(dict.fromkeys(filter(None, said)))


def _activities(study: Study) -> QuerySet[Activity]:
    return study.activities.select_related("study")


def awaits_people(study: Study) -> bool:
    """Whether a study is open and nobody has been invited or has come yet."""
    if study.status == Study.Status.SET_UP:
        return False
    return not Participation.objects.filter(activity__study=study).exists()


def next_invited(study: Study) -> Next | None:
    """To invite people: to the study, or once somebody's work is accepted to a further activity
    that somebody can begin."""
    address, page = reverse("studies:links", args=(study.slug,)), "Invite people"
    if awaits_people(study):
        why = "The study is open, and nobody has been invited or has come yet."
        return Next("invite people", why, page, address)
    rows = Participation.objects.filter(activity__study=study)
    if not rows.filter(status=participation.Status.ACCEPTED).exists():
        return None
    regions = list(study.regions.all())
    for activity in _activities(study).exclude(pk__in=rows.values("activity")):
        kind = kinds.of(activity)
        if kind and any(kind.ready(activity, region) for region in regions):
            return Next(
                f"invite people to {activity.name}", kind.not_ready(activity), page, address
            )
    return None


def audit_entries(study: Study) -> QuerySet[AuditEntry]:
    """What was done in a study, the newest first."""
    return AuditEntry.objects.filter(study=study.slug)
