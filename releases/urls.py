"""Addresses of releases; a release is /releases/<name>/<version>/."""

from django.urls import path

from releases import views

app_name = "releases"
_release = "<str:name>/<int:version>/"
urlpatterns = [
    path("", views.index, name="list"),
    path("import/", views.import_file, name="import"),
    path("build/", views.build, name="build"),
    path(_release, views.detail, name="detail"),
    path(f"{_release}questions/", views.questions, name="questions"),
    path(f"{_release}items/<path:key>/", views.item, name="item"),
    path(f"{_release}findings/", views.findings, name="findings"),
    path(f"{_release}responses/", views.responses, name="responses"),
    path(f"{_release}transcripts/", views.transcripts, name="transcripts"),
    path(f"{_release}transcripts/<str:code>/", views.transcript, name="transcript"),
    path(f"{_release}card/", views.card, name="card"),
    path(f"{_release}README.md", views.readme, name="readme"),
    path(f"{_release}LICENSE.md", views.licence, name="licence"),
    path(f"{_release}statistics.<str:format>", views.statistics, name="statistics"),
    path(f"{_release}parts/<str:part>.jsonl", views.part, name="part"),
]
