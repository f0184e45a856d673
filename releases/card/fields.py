"""Every field of every file an export can hold, as the card and docs/release-export.md tell it."""

from collections.abc import Collection, Mapping

Fields = Mapping[str, str]  # name -> what it holds

MANIFEST: Fields = {
    "name": "of the release, without its version",
    "version": "a number from 1; a further freezing or a withdrawal makes the next",
    "title": "in words",
    "schema_version": "of the shapes of the parts",
    "language": "tag of the language gold is in",
    "regions": "list of slug, names by language, phrases (what answers of the region begin "
    "with) by language and, of a study, places",
    "groups": "name of a group → slugs of its regions",
    "licence": "what others may do with it; empty where nobody said",
    "simulated": "whether its people are",
    "parts": "list of name, sha256, rows and bytes of the files that hold the data",
    "source": "of an imported data set: file, format, sha256, rows read and refused",
    "parent": "of a release built from another one: release and sha256 of that one",
    "recipe": "of a release built from another one: kind, preset and seed",
    "study": "of a frozen study: slug, names, country, ethics_number, languages, "
    "residency_percent, collected (days), participants (by where they came to), findings "
    "(accepted, and notes), kept_in (by region), thresholds (answers in view, how many had to "
    "agree, of how many questions of a region) and annotation (of each kind: people a task, "
    "tasks, who decided, reliability)",
    "supersedes": "where somebody withdrew: the release this one follows without their answers",
}

_ITEM: Fields = {
    "key": "of the item; it never changes",
    "kind": "question or choice",
    "labels": "domain, subcategory and topic",
}
_QUESTION: Fields = {
    "payload.text": "the question, by language",
    "payload.gold": "region → list of texts by language, or null where there is no gold answer",
    "payload.relations.pairs": "list of a, b and agree: whether two regions say the same",
    "payload.relations.all": "whether every region says the same; null: nobody has compared",
}
_CHOICE: Fields = {
    "payload.question": "the question, by language",
    "payload.options": "list of text by language and the regions that say it",
    "payload.source": "key of the question in the release it was built from",
}
_FINDING: Fields = {
    "code": "what was found",
    "item": "key of the item; empty where it is of no one item",
    "detail": "regions or names it is about; as JSON in CSV",
    "accepted_by": "who let it stand; of a frozen study, empty for a note",
    "reason": "why; of a frozen study, empty for a note",
}
_RESPONSE: Fields = {
    "item": "key of the question",
    "participant": "the pseudonym",
    "region": "slug of the participant's region; empty for none of them",
    "language": "tag of the language the form was answered in",
    "text": "what was typed, exactly",
    "value": "what a program reads: id of an option, list of ids, number, day, place; as JSON in "
    "CSV, and empty where only text was typed",
    "words": "the answer as people read it, with the words of what was chosen; not in releases "
    "frozen before it was kept",
}
_TABLE_ITEM: Fields = {
    "item": "key of the item; it never changes",
    "kind": "question or choice",
    "domain": "the widest of three labels",
    "subcategory": "the second",
    "topic": "the narrowest",
    "text": "the question, in the language gold is in",
}
_TABLE_GOLD: Fields = {
    "item": "key of the question",
    "region": "slug",
    "number": "1, or more where a region agrees on several things; empty without gold",
    "text": "the gold answer; empty where there is none",
}
_TABLE_RELATION: Fields = {
    "item": "key of the question",
    "level": "pair of two regions, or all of them",
    "a": "slug of one; empty for all",
    "b": "slug of the other; empty for all",
    "agree": "true or false",
}
_TABLE_OPTION: Fields = {
    "item": "key of the item",
    "option": "its number from 1, in stored order; a row a region",
    "region": "slug of a region that says it",
    "text": "the option",
}

FILES: dict[str, Fields] = {
    "manifest.json": MANIFEST,
    "items.jsonl": {**_ITEM, **_QUESTION, **_CHOICE},
    "findings.jsonl": _FINDING,
    "responses.jsonl": _RESPONSE,
    "items.csv": _TABLE_ITEM,
    "gold.csv": _TABLE_GOLD,
    "relations.csv": _TABLE_RELATION,
    "options.csv": _TABLE_OPTION,
    "responses.csv": _RESPONSE,
    "findings.csv": _FINDING,
}
HOLDS = {
    "manifest.json": "what the release is; its SHA-256 is that of the release",
    "items.jsonl": "what is asked, and its gold",
    "items.csv": "what is asked",
    "gold.csv": "what each region agrees on",
    "relations.csv": "which regions say the same",
    "options.csv": "what can be chosen, and whose answer it is",
    "responses": "answers of people who agreed to publication",
    "findings": "where the data contradict themselves, or something stood open",
}
_OF_A_STUDY = {"accepted_by", "reason"}


def of(file: str, kinds: Collection[str], about: Mapping[str, object]) -> Fields:
    """The fields of a file in a release that holds items of these kinds and has this manifest."""
    found = FILES.get(file, {})
    other = {"question": _CHOICE, "choice": _QUESTION}
    without = {name for kind, names in other.items() if kinds == {kind} for name in names}
    if file == "manifest.json":
        without = set(found) - set(about)
    elif file == "findings.jsonl" and "study" not in about:
        without = _OF_A_STUDY
    return {name: words for name, words in found.items() if name not in without}


def holds(file: str) -> str:
    """What a file is there for."""
    return HOLDS.get(file) or HOLDS.get(file.partition(".")[0], "")
