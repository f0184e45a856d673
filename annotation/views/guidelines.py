"""What annotators are told, version by version."""

from django.http import HttpRequest, HttpResponse
from django.urls import reverse
from django.views.decorators.http import require_http_methods

from accounts.keeping import keeps_what_was_sent
from annotation import kinds
from annotation.forms import GuidelineForm
from annotation.selectors.projects import newest_guideline
from annotation.services import projects as services
from annotation.views.access import ABOVE, access, user_of
from studies import pages
from studies.permissions import Capability


@keeps_what_was_sent
@require_http_methods(["GET", "HEAD", "POST"])
def guideline(request: HttpRequest, study: str, kind: str) -> HttpResponse:
    """Without its button pressed, as after a sign-in, what was written is only shown again."""
    posted = request.method == "POST"
    needed = Capability.ADJUDICATE if posted else Capability.ANNOTATE
    project = access(request, study, kind, needed)
    newest = newest_guideline(project)
    form = GuidelineForm(request.POST if posted else None, initial={"text": newest.text})

    def save() -> str:
        services.write_guideline(project, form.cleaned_data["text"], user_of(request).email)
        return reverse("annotation:guideline", args=(study, kind))

    context = {
        "kind": kinds.of(kind),
        "form": form,
        "newest": newest,
        "older": project.guidelines.all()[1:],
    }
    pressed = request.POST.get("action") == "save"
    done = pages.saved(request, form, save, "The guideline is saved.") if pressed else None
    return done or pages.page(
        request, "annotation/guideline.html", project.study, context, "Guideline", ABOVE
    )
