"""The addresses of the API (docs/api.md)."""

from typing import Any

from django.urls import path, re_path
from drf_spectacular.utils import extend_schema
from drf_spectacular.views import SpectacularJSONAPIView
from rest_framework.exceptions import NotFound
from rest_framework.request import Request
from rest_framework.views import APIView

from annotation import api as annotation
from annotation import suggestions_api
from collection import api as collection
from evaluation import api as evaluation
from releases import api as releases
from studies import api as studies


@extend_schema(exclude=True)
class Unknown(APIView):
    """Any address under the API that is none of its own."""

    def initial(self, request: Request, *args: Any, **kwargs: Any) -> None:
        super().initial(request, *args, **kwargs)
        raise NotFound


app_name = "api"
_study, _release, _run = (
    "studies/<str:study>/",
    "releases/<str:name>@<int:version>/",
    "runs/<int:run>/",
)
urlpatterns = [
    path("schema/", SpectacularJSONAPIView.as_view(), name="schema"),
    path("studies/", studies.Studies.as_view(), name="studies"),
    path(_study, studies.StudyDetail.as_view(), name="study"),
    path(f"{_study}participations/", studies.Participations.as_view(), name="participations"),
    path(f"{_study}links/", studies.Links.as_view(), name="links"),
    path(f"{_study}answers/", collection.Answers.as_view(), name="answers"),
    path(f"{_study}annotation/", annotation.Kinds.as_view(), name="annotation"),
    path(f"{_study}annotation/share/", annotation.Share.as_view(), name="annotation_share"),
    path(f"{_study}tasks/", annotation.Tasks.as_view(), name="tasks"),
    path(f"{_study}judgements/", annotation.Judgements.as_view(), name="judgements"),
    path(f"{_study}suggestions/", suggestions_api.Suggestions.as_view(), name="suggestions"),
    path(f"{_study}gold/", annotation.Gold.as_view(), name="gold"),
    path(f"{_study}gold/hangs-on/", annotation.GoldHangsOn.as_view(), name="gold_hangs_on"),
    path("releases/", releases.Releases.as_view(), name="releases"),
    path(_release, releases.ReleaseDetail.as_view(), name="release"),
    path(f"{_release}items/", releases.Items.as_view(), name="items"),
    path("runs/", evaluation.Runs.as_view(), name="runs"),
    path(_run, evaluation.RunDetail.as_view(), name="run"),
    path(f"{_run}report/", evaluation.RunReport.as_view(), name="report"),
    path(f"{_run}samples/", evaluation.Samples.as_view(), name="samples"),
    path(f"{_run}rejudge/", evaluation.Rejudge.as_view(), name="rejudge"),
    path(f"{_run}resume/", evaluation.Resume.as_view(), name="resume"),
    path(f"{_run}cancel/", evaluation.Cancel.as_view(), name="cancel"),
    re_path("", Unknown.as_view(), name="unknown"),
]
