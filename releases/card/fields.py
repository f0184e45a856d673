"""Every field of every file an export can hold, as the card and docs/release-export.md tell it."""

from collections.abc import Collection, Mapping

Fields = Mapping[str, str]  # name -> what it holds

MANIFEST: Fields = {
    "name": "of the release, without its version",
    "version": "a number from 1; a further freezing or a withdrawal makes the next",
    "title": "in words",
    "schema_version": "of the shapes of the parts",
    "language": "tag of the language gold is in, and the study's first",
    "regions": "list of slug, names by language, phrases (what answers of the region begin "
    "with) by language and, of a study, places",
    "groups": "name of a group → slugs of its regions",
    "licence": "what others may do with it; empty where nobody said",
    "licence_text": "the text of that licence, where it came with the data",
    "simulated": "whether its people are",
    "parts": "list of name, sha256, rows and bytes of the files that hold the data",
    "source": "of an imported data set: file, format, sha256, rows read and refused, and of a "
    "folder the files passed_over",
    "parent": "of a release built from another one: release and sha256 of that one",
    "recipe": "of a release built from another one: kind, preset and seed",
    "study": "of a frozen study: slug, names, country, ethics_number, languages, "
    "residency_percent, collected (days), participants (by where they came to), findings "
    "(accepted, and notes), games (ended, and players in them), kept_in (by region), thresholds "
    "(answers in view, how many had to agree, of how many questions of a region) and annotation "
    "(of each kind: people a task, tasks, who decided, reliability)",
    "supersedes": "where somebody withdrew: the release this one follows without their answers",
}

_ITEM: Fields = {
    "key": "of the item; it never changes",
    "kind": "question, choice or artifact",
    "labels": "domain, subcategory and topic; of an artifact none",
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
_ARTIFACT: Fields = {
    "payload.region": "slug of the region the artifact is of",
    "payload.name": "what it is called, by language; und-Latn and the like where no more than the "
    "script is known",
    "payload.names": "further names: list of text, kind (alias, translation, or forbidden in a "
    "clue), language and script",
    "payload.origin": "original (of a survey or list), or expanded (proposed by players)",
    "payload.clues": "list of text in the order given and, of a game, language, giver (pseudonym), "
    "game, turn (0: written with a proposal) and number in the turn",
    "payload.ratings": "list of game, turn, and the guesser's accuracy and quality, 1 to 5 or null",
}
_CLUE: Fields = {
    "artifact": "key of the artifact",
    "region": "slug of its region",
    "number": "of the clue among all of its artifact, from 1",
    "text": "what was written, exactly",
    "language": "tag of the language the game was in; empty where it is not known",
    "giver": "the pseudonym of who gave it; empty where it is not known",
    "game": "code of the game; empty where it is not known",
    "turn": "number of the turn in the game; 0: written with a proposal",
    "in_turn": "number of the clue in its turn, counting those that the rules refused",
}
_TRANSCRIPT: Fields = {
    "game": "code of the game",
    "region": "slug of the region both players are of",
    "language": "tag of the language it was played in; empty where it was not asked",
    "players": "pseudonyms by seat; null for who did not agree to publication or has withdrawn",
    "ended": "a code of why it ended",
    "guesses": "how many a turn had by the rules; not in releases frozen before it was kept",
    "turns": "list of number, giver (seat), artifact (key), outcome, and the guesser's accuracy "
    "and quality",
    "events": "list of seq, seat, kind, data and ms since the game was made",
    "words": "list of turn, kind, number, seat, player, artifact, text, about, verdict, reason, "
    "decided_by, repeats (the clue of an earlier game) and left_out (why words are not there)",
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
    "kind": "question, choice or artifact",
    "domain": "the widest of three labels",
    "subcategory": "the second",
    "topic": "the narrowest",
    "text": "the question, in the language gold is in, or the name",
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

_TABLE_ARTIFACT: Fields = {
    "item": "key of the artifact",
    "region": "slug of the region it is of",
    "origin": "original or expanded",
    "name": "what it is called first",
    "language": "tag of the name's language; und-Latn and the like where only its script is known",
}
_TABLE_NAME: Fields = {
    "item": "key of the artifact",
    "kind": "alias, translation, or forbidden in a clue",
    "text": "the further name",
    "language": "tag of the name's language, where somebody said it",
    "script": "Unicode's name of the script it is written in",
}
_TABLE_RATING: Fields = {
    "item": "key of the artifact",
    "game": "code of the game",
    "turn": "number of the turn",
    "accuracy": "how accurate the guesser found the clues, 1 to 5",
    "quality": "how good the guesser found them, 1 to 5",
}
_TABLE_WORD: Fields = {
    "game": "code of the game",
    "turn": "number of the turn; 0 outside one",
    "kind": "clue, guess, proposal or warning",
    "number": "of its kind in the turn",
    "seat": "0 or 1, of who wrote it or, of a warning, was warned",
    "player": "pseudonym of who wrote it first or, of a warning, was warned; empty for who is not "
    "published",
    "artifact": "key of the artifact of the turn or proposal",
    "text": "what was written, exactly",
    "about": "of a proposal: how they would describe it",
    "verdict": "what became of it, as said, blocked, right or wrong",
    "reason": "a code of why a clue was refused",
    "decided_by": "rule, giver, partner, clock or moderator",
    "left_out": "why its words are not there: struck, removed or not_published",
}

FILES: dict[str, Fields] = {
    "manifest.json": MANIFEST,
    "items.jsonl": {**_ITEM, **_QUESTION, **_CHOICE, **_ARTIFACT},
    "findings.jsonl": _FINDING,
    "responses.jsonl": _RESPONSE,
    "clues.jsonl": _CLUE,
    "transcripts.jsonl": _TRANSCRIPT,
    "items.csv": _TABLE_ITEM,
    "gold.csv": _TABLE_GOLD,
    "relations.csv": _TABLE_RELATION,
    "options.csv": _TABLE_OPTION,
    "artifacts.csv": _TABLE_ARTIFACT,
    "names.csv": _TABLE_NAME,
    "ratings.csv": _TABLE_RATING,
    "clues.csv": _CLUE,
    "words.csv": _TABLE_WORD,
    "responses.csv": _RESPONSE,
    "findings.csv": _FINDING,
}
HOLDS = {
    "manifest.json": "what the release is; its SHA-256 is that of the release",
    "items.jsonl": "what is asked, and its gold; or artifacts and their clues",
    "items.csv": "every item on a line",
    "gold.csv": "what each region agrees on",
    "relations.csv": "which regions say the same",
    "options.csv": "what can be chosen, and whose answer it is",
    "artifacts.csv": "things people of a region take for granted",
    "names.csv": "what artifacts are also called",
    "ratings.csv": "how guessers rated clues",
    "words.csv": "what was said in games",
    "clues": "how people describe artifacts to each other",
    "transcripts": "whole games, under pseudonyms",
    "responses": "answers of people who agreed to publication",
    "findings": "where the data contradict themselves, or something stood open",
}
_OF_A_STUDY = {"accepted_by", "reason"}


def of(file: str, kinds: Collection[str], about: Mapping[str, object]) -> Fields:
    """The fields of a file in a release that holds items of these kinds and has this manifest."""
    found = FILES.get(file, {})
    of_kinds = {"question": _QUESTION, "choice": _CHOICE, "artifact": _ARTIFACT}
    without = {name for kind, names in of_kinds.items() if kind not in kinds for name in names}
    if file == "manifest.json":
        without = set(found) - set(about)
    elif file == "findings.jsonl" and "study" not in about:
        without = _OF_A_STUDY
    return {name: words for name, words in found.items() if name not in without}


def holds(file: str) -> str:
    """What a file is there for."""
    return HOLDS.get(file) or HOLDS.get(file.partition(".")[0], "")
