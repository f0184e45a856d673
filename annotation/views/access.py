"""How every page of annotation comes to its study, project and reader."""

from typing import cast

from django.http import HttpRequest

from accounts.models import User
from annotation.models import Project
from annotation.selectors import projects
from studies import selectors
from studies.permissions import Capability

ABOVE = [("Annotation", "annotation:projects")]


def access(request: HttpRequest, study: str, kind: str, capability: Capability) -> Project:
    found = selectors.access_study(request.user, study, capability)
    return projects.access_project(found, kind)


def user_of(request: HttpRequest) -> User:
    return cast(User, request.user)
