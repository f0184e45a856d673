"""Every page a participant can come to, in a language the sample study's own texts are not in."""

from django.urls import reverse

from collection.models import Submission
from core import clock
from studies import links, services
from studies.models import Participant, Participation, Study
from studies.participation import Action, Status
from studies.services import moving
from tests import sample_study
from tests.studies.conftest import way

IMPOSSIBLE = {
    "born": "1990",
    "stay-0-place": "Windlow",
    "stay-0-from_year": "1980",
    "stay-0-to_year": "3000",
    "stay-1-place": "nowhere",
    "stay-1-from_year": "x",
}


def of(client, tag):
    """Name -> HTML."""
    study = opened(tag)
    found = before(client, study, tag)
    for status in Status:
        found[status.value] = client.get(links.personal(come(study, tag, status)))
    for status in (Status.INVITED, Status.ACTIVE, Status.WITHDRAWN):
        found[f"leaving, {status}"] = client.get(_step(come(study, tag, status), "leave"))
    giving_back = _step(come(study, tag), "leave")
    found["giving the place back"] = client.get(giving_back, {"choice": "give_back"})
    late = come(study, tag)
    Participation.objects.filter(pk=late.pk).update(deadline=clock.ago(60))
    found["time is up"] = client.get(links.personal(late))
    found |= forms(client, study, tag)
    Study.objects.update(status=Study.Status.SET_UP)
    found["not open"] = client.get(_join(study), {"language": tag, "PROLIFIC_PID": "A1"})
    return {name: _html(name, response) for name, response in found.items()}


def opened(tag):
    study = services.open_study(sample_study.load(), "test")
    study.languages = ["en", tag]
    study.save()
    study.regions.update(target=100)
    return study


def come(study, tag, until=Status.ACTIVE):
    """Somebody who reads the language and has come as far as a status."""
    participant = Participant.objects.create(study=study, language=tag)
    row = Participation.objects.create(
        participant=participant, activity=study.activities.get(), deadline=clock.later(86400)
    )
    for action in way(until):
        if action is Action.ADMIT:
            moving.admit(row, study.regions.first())
        else:
            moving.move(row, action)
    if until == Status.REDO:
        row.submissions.update(
            status=Submission.Status.REDO, submitted=clock.now(), asked_again="..."
        )
    if until == Status.WITHDRAWN:
        services.withdraw(participant, "test")
    return row


def before(client, study, tag):
    """The pages of who comes from a recruiter, agrees and tells where they have lived."""
    agreeing, told = come(study, tag, Status.CONSENTING), come(study, tag, Status.SCREENING)
    document = study.consent_documents.latest("version").pk
    join, consent, screening = _join(study), _step(agreeing, "consent"), _step(told, "screening")
    return {
        "invitation": client.get(join, {"language": tag, "PROLIFIC_PID": "A1"}),
        "no id": client.get(join, {"language": tag, "PROLIFIC_PID": "?"}),
        "not agreed": client.post(consent, {"document": document}),
        "agreed to another text": client.post(consent, {"document": "0"}),
        "nothing told": client.post(screening),
        "an impossible life": client.post(screening, IMPOSSIBLE),
    }


def forms(client, study, tag):
    """The pages of who answers."""
    row, sent, again = come(study, tag), come(study, tag), come(study, tag, Status.REDO)
    questions = row.submissions.get().form_version.document["questions"]
    key = next(each["key"] for each in questions if each["kind"] == "long")
    empty = {f"rev-{each['key']}": "0" for each in questions}
    typed = {f"rev-{key}": "0", f"answer-{key}": "1"}
    other = typed | {f"answer-{key}": "2", "action": "send"}
    found = {
        "form": client.get(_form(row)),
        "stopped": client.get(_form(row), {"stopped": ""}),
        "form with faults": client.post(_form(row), empty | {"action": "send"}),
    }
    client.post(_form(row, "save"), typed)
    found["conflict"] = client.post(_form(row), other)
    sent.submissions.update(status=Submission.Status.SUBMITTED, submitted=clock.now())
    return found | {
        "sent": client.get(_form(sent)),
        "closed": client.post(_form(sent), other),
        "form asked again": client.get(_form(again)),
    }


def _join(study):
    return reverse("taking_part:join", args=(study.slug, study.activities.get().slug))


def _step(row, step):
    return reverse(f"taking_part:{step}", args=(links.token(row),))


def _form(row, name="form"):
    return reverse(f"collection:{name}", args=(links.token(row), 1))


def _html(name, response):
    assert response.status_code in (200, 409, 422), name
    return response.content.decode()
