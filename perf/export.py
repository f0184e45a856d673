"""How fast and in how much memory a million answers leave the product.

A scratch SQLite database in a temporary data folder gets two studies of 611 questions in 41
forms, a small one and one of a million answers, written in bulk. `export_answers` then exports
each as a process of its own, as long CSV, and its peak resident memory is read from the kernel:
memory is flat where the large study needs hardly more than the small one.

Run from the root of the repository: `python -m perf.export [ANSWERS]`.
"""

import json
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

FORMS, QUESTIONS = 41, 611
SMALL = 50_000
TEXTS = (
    "Guests are given tea and something sweet, and nobody leaves without eating; number ",
    "मेहमान को चाय और कुछ मीठा दिया जाता है, और कोई खाए बिना नहीं जाता; संख्या ",
)
BATCH = 50  # participations


def main() -> None:
    wanted = int(sys.argv[1]) if len(sys.argv) > 1 else 1_000_000
    with tempfile.TemporaryDirectory(prefix="commonplace-perf-") as folder:
        os.environ |= {
            "COMMONPLACE_DATA": folder,
            "COMMONPLACE_DOTENV": "0",
            "DJANGO_SETTINGS_MODULE": "config.settings",
        }
        os.environ.pop("DATABASE_URL", None)
        os.environ.pop("REDIS_URL", None)
        import django

        django.setup()
        from django.core.management import call_command

        call_command("migrate", verbosity=0)
        for slug, answers in (("small", SMALL), ("large", wanted)):
            began = time.monotonic()
            stored = build(slug, answers)
            print(f"{slug}: {stored:,} answers written in {time.monotonic() - began:.0f} s")
            measure(slug, stored, Path(folder, f"{slug}.csv"))


def measure(slug: str, stored: int, path: Path) -> None:
    """Export in a child process; print rate, peak memory and whether the counts agree."""
    order = ("manage.py", "export_answers", slug, "--format", "csv", "--out", str(path), "--json")
    began = time.monotonic()
    child = subprocess.Popen([sys.executable, *order], stdout=subprocess.PIPE, text=True)
    said = child.stdout.read() if child.stdout else ""
    _, status, usage = os.wait4(child.pid, 0)
    seconds = time.monotonic() - began
    if status:
        raise SystemExit(f"export_answers failed: {said}")
    rows, lines = json.loads(said)["rows"], count_rows(path)
    print(
        f"  exported {rows:,} rows, {path.stat().st_size / 1e6:.0f} MB, in {seconds:.1f} s with "
        f"start-up: {rows / seconds:,.0f} rows/s ({rows / usage.ru_utime:,.0f} a second of CPU), "
        f"peak {usage.ru_maxrss / 1024:.0f} MB resident"
    )
    print(f"  database {stored:,}, manifest {rows:,}, file {lines:,}: ", end="")
    print("equal" if stored == rows == lines else "DIFFERENT")


def count_rows(path: Path) -> int:
    """Rows below the header; no answer of these studies holds a line break."""
    with path.open("rb") as file:
        return sum(1 for _ in file) - 1


def build(slug: str, answers: int) -> int:
    """A study with about as many answers, in bulk; returns how many."""
    from django.db import transaction

    from core import clock
    from studies.models import Activity, Participant, Participation, Region, Study

    now = clock.now()
    study = Study.objects.create(
        slug=slug,
        names={"en": slug},
        languages=["en"],
        country="Lantern Coast",
        timezone="UTC",
        currency="EUR",
        simulated=True,
        created=now,
    )
    region = Region.objects.create(
        study=study, slug="harbour", names={"en": "Harbour"}, phrases={}, language="en", position=1
    )
    activity = Activity.objects.create(
        study=study,
        slug="everyday",
        names={"en": "Everyday"},
        kind="survey",
        phase="main",
        reward="flat",
        amount_minor=500,
        minutes=90,
        position=1,
    )
    versions = publish(study, activity)
    people = -(-answers // QUESTIONS)
    for first in range(0, people, BATCH):
        with transaction.atomic():
            made = Participant.objects.bulk_create(
                Participant(study=study, region=region, language="en", simulated=True)
                for _ in range(first, min(first + BATCH, people))
            )
            taking_part = Participation.objects.bulk_create(
                Participation(participant=one, activity=activity, status="submitted")
                for one in made
            )
            fill(taking_part, versions)
    return people * QUESTIONS


def publish(study, activity):
    from collection import documents
    from collection.models import FormVersion, Question
    from core import clock

    questions = Question.objects.bulk_create(
        Question(study=study, key=f"question_{n}", kind="long", position=n)
        for n in range(1, QUESTIONS + 1)
    )
    versions = []
    for number in range(1, FORMS + 1):
        document = documents.form(
            activity=activity.slug,
            number=number,
            of=FORMS,
            tongues=["en"],
            prefix={"en": "In your region, {question}"},
            places=[],
            questions=[asked(row) for row in questions[(number - 1) * 15 : number * 15]],
        )
        versions.append(
            FormVersion.objects.create(
                activity=activity,
                number=number,
                version=1,
                document=document,
                sha256=documents.sha256(document),
                published=clock.now(),
            )
        )
    return versions


def asked(question):
    text = f"What is given to guests on occasion {question.position}?"
    return {
        "id": question.pk,
        "key": question.key,
        "kind": "long",
        "topic": "visiting",
        "texts": {"en": text},
        "help": {},
        "options": [],
        "limits": {},
        "prefixed": True,
        "starts_with_name": False,
        "check": None,
    }


def fill(taking_part, versions):
    from collection.models import Answer, Submission
    from core import clock

    now = clock.now()
    submissions = Submission.objects.bulk_create(
        Submission(
            participation=one,
            form_version=version,
            number=version.number,
            status="submitted",
            language="en",
            started=now,
            touched=now,
            submitted=now,
            ms=120_000,
        )
        for one in taking_part
        for version in versions
    )
    asked_in = {
        version.pk: [question["id"] for question in version.document["questions"]]
        for version in versions
    }
    Answer.objects.bulk_create(
        (
            Answer(
                submission=one,
                question_id=question,
                text=f"{TEXTS[question % 2]}{question}",
                folded="",
            )
            for one in submissions
            for question in asked_in[one.form_version_id]
        ),
        batch_size=5000,
    )


if __name__ == "__main__":
    main()
