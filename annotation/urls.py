"""Addresses of annotation, all below a study."""

from django.urls import path

from annotation.views import (
    disputes,
    gold,
    guidelines,
    hanging,
    projects,
    reliability,
    suggestions,
    tasks,
)

app_name = "annotation"
_annotation = "studies/<slug:study>/annotation/"
_kind = f"{_annotation}<slug:kind>/"

urlpatterns = [
    path(_annotation, projects.projects, name="projects"),
    path(f"{_annotation}hangs-on/", hanging.hanging, name="hanging"),
    path(f"{_annotation}share/", projects.share, name="share"),
    path(f"{_kind}open/", projects.open_kind, name="open"),
    path(f"{_kind}next/", tasks.take_next, name="next"),
    path(f"{_kind}tasks/<str:source_key>/", tasks.task, name="task"),
    path(f"{_kind}disputes/", disputes.disputes, name="disputes"),
    path(f"{_kind}disputes/<str:source_key>/", disputes.dispute, name="dispute"),
    path(f"{_kind}disputes/<str:source_key>/read/", disputes.read_flag, name="read_flag"),
    path(f"{_kind}disputes/<str:source_key>/put-back/", disputes.put_back, name="put_back"),
    path(f"{_kind}gold/", gold.gold, name="gold"),
    path(f"{_kind}gold/<str:source_key>/", gold.trace, name="trace"),
    path(f"{_kind}reliability/", reliability.reliability, name="reliability"),
    path(f"{_kind}suggestions/", suggestions.suggestions, name="suggestions"),
    path(f"{_kind}guideline/", guidelines.guideline, name="guideline"),
]
