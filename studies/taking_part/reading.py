"""Who reads a participant's page: in which language, in which direction, by which link."""

from dataclasses import dataclass

from django.utils.translation import get_language_info

from studies import languages, links
from studies.models import Participation, Study

# Own names of larger languages that Django does not know or has in English only.
_OWN_NAMES = {
    "am": "አማርኛ",
    "as": "অসমীয়া",
    "gu": "ગુજરાતી",
    "ha": "Hausa",
    "lo": "ລາວ",
    "mt": "Malti",
    "or": "ଓଡ଼ିଆ",
    "pa": "ਪੰਜਾਬੀ",
    "ps": "پښتو",
    "sd": "سنڌي",
    "si": "සිංහල",
    "so": "Soomaali",
    "yo": "Yorùbá",
    "zu": "isiZulu",
}


@dataclass(frozen=True, slots=True)
class Reader:
    """`choices` are the languages of the study: (tag, its own name, is it the current one).

    `token` is of the personal link and `code` the participant's pseudonym, which they may quote
    to the study team; both are empty for a reader who is not in the study yet.
    """

    language: str
    direction: str
    choices: list[tuple[str, str, bool]]
    token: str
    code: str
    study_name: str
    study_name_language: str

    @property
    def study_name_direction(self) -> str:
        return languages.direction(self.study_name_language)


def reader(study: Study, language: str, participation: Participation | None = None) -> Reader:
    """The reader of a language of the study; of its first language where it has no such one."""
    current = spoken(study, language)
    name_language, name = languages.choose(study.names, order(study, current))
    return Reader(
        language=current,
        direction=languages.direction(current),
        choices=[(tag, own_name(tag), tag == current) for tag in study.languages],
        token=links.token(participation) if participation else "",
        code=participation.participant.code if participation else "",
        study_name=name or study.slug,
        study_name_language=name_language or current,
    )


def spoken(study: Study, language: str) -> str:
    return language if language in study.languages else study.languages[0]


def order(study: Study, language: str) -> list[str]:
    """The languages a text is looked for in: the reader's, then the study's own order."""
    return [language, *study.languages]


def own_name(tag: str) -> str:
    """What a language calls itself; subtags that the name does not tell follow in brackets."""
    first, *rest = tag.split("-")
    try:
        known = get_language_info(tag.lower())
    except KeyError:
        name, told = _OWN_NAMES.get(first, first), 1
    else:
        told = len(known["code"].split("-"))
        name = _OWN_NAMES.get(known["code"], str(known["name_local"]))
    left = "-".join(rest[told - 1 :])
    name = name[:1].upper() + name[1:]
    return f"{name} ({left})" if left else name


def stranger(language: str) -> Reader:
    """Who came by an address that says nothing of a study."""
    return Reader(
        language=language,
        direction=languages.direction(language),
        choices=[],
        token="",
        code="",
        study_name="Commonplace",
        study_name_language="en",
    )
