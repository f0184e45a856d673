"""Building items of a release as a release of their own."""

from core.errors import CommonplaceError
from releases import building, canonical, choices, shapes, storing
from releases.models import Item, Release
from releases.services.freezing import Draft, freeze, valid_name

KINDS = ("ra_mcq",)  # of items that can be built


def build_items(
    kind: str,
    source: Release,
    name: str,
    preset: str | None = None,
    seed: int | None = None,
    *,
    actor: str,
) -> Release:
    """A derived release of multiple-choice items. The same recipe under the same name gives the
    same release.

    `kind` is one of KINDS; `preset` is `agreement` unless given; `seed` is kept in the recipe for
    kinds that draw by chance, which `ra_mcq` does not. Raises `build.unknown_kind`,
    `build.wrong_source`, `build.nothing_built`, `preset.unknown`, `release.name_invalid`,
    `release.name_taken` and `release.bytes_changed`.
    """
    name = valid_name(name)
    if kind not in KINDS:
        raise CommonplaceError(
            "build.unknown_kind",
            f"There is no kind of items “{kind}”. Use one of: {', '.join(KINDS)}.",
            kind=kind,
            known=list(KINDS),
        )
    preset = preset or "agreement"
    held = canonical.rows(storing.read(source.parts.get(name="items")))
    rows = [row for row in held if row["kind"] == Item.Kind.QUESTION]
    if not rows:
        raise CommonplaceError(
            "build.wrong_source",
            f"{source.label} does not hold questions, and these items are built from questions. "
            "Choose the release it was built from.",
            release=source.label,
        )
    about = source.about
    built, found = building.build_choices(rows, about["regions"], about["language"], preset)
    if not built:
        raise CommonplaceError(
            "build.nothing_built",
            f"No question of {source.label} has {choices.LEAST_OPTIONS} to {shapes.MOST_OPTIONS} "
            f"different answers under “{preset}”, so there is nothing to build. Try the other "
            "preset or another release.",
            release=source.label,
            preset=preset,
        )
    draft = Draft(
        name=name,
        title=f"Multiple choice from {source.title or source.name}, {choices.PRESETS[preset]}",
        language=about["language"],
        regions=about["regions"],
        licence=source.licence,
        simulated=source.simulated,
        origin={
            "parent": {"release": source.label, "sha256": source.sha256},
            "recipe": {"kind": kind, "preset": preset, "seed": seed},
        },
        rows=built,
        findings=found,
        parent=source,
        study=source.study,
        groups=about["groups"],
    )
    return freeze(draft, actor=actor, action="release.built")[0]
