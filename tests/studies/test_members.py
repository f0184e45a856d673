"""Roles: who reaches what in a study, and that a study always has an owner."""

import itertools
import re

import pytest
from django.urls import reverse

from core.errors import CommonplaceError
from core.models import AuditEntry
from studies import selectors, services
from studies.models import Membership, Study
from studies.permissions import CAPABILITIES, Capability, Role

pytestmark = pytest.mark.django_db

# What a GET of each page gives to each role; POST-only addresses are asked with POST below.
EVERYONE = ("detail", "members")
SETTING_UP = (
    "facts", "regions", "region_new", "region", "activities", "activity_new", "activity", "consent",
)  # fmt: skip
PAGES = {
    **{page: set(Role) for page in EVERYONE},
    **{page: {Role.OWNER, Role.RESEARCHER} for page in SETTING_UP},
    "audit": {Role.OWNER, Role.RESEARCHER},
}
POSTS = {
    "region_remove": {Role.OWNER, Role.RESEARCHER},
    "activity_remove": {Role.OWNER, Role.RESEARCHER},
    "member_invite": {Role.OWNER},
    "member_role": {Role.OWNER},
    "member_remove": {Role.OWNER},
}


def pairs(one, other):
    return list(itertools.product(one, other))


def address(study, page):
    values = {"study": study.slug}
    if page in ("region", "region_remove"):
        values["region"] = "moor"
    if page in ("activity", "activity_remove"):
        values["activity"] = "everyday_life"
    return reverse(f"studies:{page}", kwargs=values)


def code(of, *arguments):
    with pytest.raises(CommonplaceError) as refused:
        of(*arguments)
    return refused.value.code


@pytest.mark.parametrize(("page", "role"), pairs(PAGES, Role))
def test_every_page_opens_for_the_roles_it_is_for(study, bob, signed_in, page, role):
    services.invite(study, bob.email, role, "test")
    expected = 200 if role in PAGES[page] else 403
    assert signed_in(bob).get(address(study, page)).status_code == expected


@pytest.mark.parametrize(("page", "role"), pairs(POSTS, Role))
def test_only_the_roles_it_is_for_change_a_thing(study, bob, signed_in, page, role):
    services.invite(study, bob.email, role, "test")
    before = AuditEntry.objects.count()
    given = {"email": "alice@example.org", "role": "viewer"}
    response = signed_in(bob).post(address(study, page), given)
    if role in POSTS[page]:
        assert response.status_code != 403
    else:
        assert response.status_code == 403
        assert AuditEntry.objects.count() == before


@pytest.mark.parametrize(("role", "capability"), pairs(Role, Capability))
def test_a_study_is_had_only_with_the_capability(study, bob, role, capability):
    services.invite(study, bob.email, role, "test")
    if capability in CAPABILITIES[role]:
        assert selectors.access_study(bob, study.slug, capability) == study
    else:
        reach = (bob, study.slug, capability)
        assert code(selectors.access_study, *reach) == "study.not_allowed"


def test_to_who_is_no_member_a_study_does_not_exist(study, bob):
    for slug in (study.slug, "no_such_study"):
        reach = (bob, slug, Capability.VIEW)
        assert code(selectors.access_study, *reach) == "study.unknown"
    assert not Study.objects.visible_to(bob).exists()


def test_a_study_is_listed_to_its_members_once(study, owner, bob, signed_in):
    services.invite(study, bob.email, Role.VIEWER, "test")
    assert list(Study.objects.visible_to(bob)) == [study]
    assert study.name in signed_in(bob).get(reverse("studies:list")).content.decode()


def test_an_account_is_invited_by_any_spelling_of_its_address(study, owner, bob, signed_in):
    client = signed_in(owner)
    given = {"email": "Bob@Example.org", "role": "annotator"}
    response = client.post(address(study, "member_invite"), given, follow=True)
    assert "bob@example.org" in response.content.decode()
    assert study.memberships.get(user=bob).role == "annotator"


@pytest.mark.parametrize("email", ["nobody@example.org", "no address"])
def test_who_has_no_account_is_not_invited_and_the_form_says_so(study, owner, signed_in, email):
    given = {"email": email, "role": "viewer"}
    response = signed_in(owner).post(address(study, "member_invite"), given)
    assert response.status_code == 422
    assert email in response.content.decode()
    assert study.memberships.count() == 2


def test_inviting_again_changes_nothing_and_another_role_is_refused(study, bob):
    services.invite(study, bob.email, Role.VIEWER, "test")
    before = AuditEntry.objects.count()
    services.invite(study, bob.email, Role.VIEWER, "test")
    assert AuditEntry.objects.count() == before
    again = (study, bob.email, Role.OWNER, "test")
    assert code(services.invite, *again) == "member.in_already"


def test_the_last_owner_can_neither_go_nor_step_down(study, alice, owner, signed_in):
    client = signed_in(owner)
    client.post(address(study, "member_remove"), {"email": alice.email})
    assert list(study.memberships.values_list("user__email", flat=True)) == [owner.email]
    for page in ("member_remove", "member_role"):
        given = {"email": owner.email, "role": "viewer"}
        response = client.post(address(study, page), given)
        assert response.status_code == 409
        assert "always has an owner" in response.content.decode()
    assert Membership.objects.get().role == "owner"


def test_an_owner_who_leaves_lands_on_the_list(study, owner, signed_in):
    response = signed_in(owner).post(address(study, "member_remove"), {"email": owner.email})
    assert response["Location"] == reverse("studies:list")


def test_a_role_is_changed_and_the_trail_says_from_what(study, owner, bob, signed_in):
    services.invite(study, bob.email, Role.VIEWER, "test")
    client = signed_in(owner)
    client.post(address(study, "member_role"), {"email": bob.email, "role": "moderator"})
    assert study.memberships.get(user=bob).role == "moderator"
    told = client.get(address(study, "audit")).content.decode()
    assert "made bob@example.org, who had been viewer, moderator" in told


def test_the_list_shows_each_person_with_the_role_they_have(study, owner, bob, signed_in):
    services.invite(study, bob.email, Role.MODERATOR, "test")
    page = signed_in(owner).get(address(study, "members")).content.decode()
    chosen = re.findall(r'Role of ([^"]*)">.*?<option value="(\w+)" selected', page)
    assert chosen == [
        ("alice@example.org", "owner"),
        ("bob@example.org", "moderator"),
        ("olga@example.org", "owner"),
    ]


def test_a_role_nobody_knows_is_refused(study, owner, bob, signed_in):
    services.invite(study, bob.email, Role.VIEWER, "test")
    given = {"email": bob.email, "role": "king"}
    assert signed_in(owner).post(address(study, "member_role"), given).status_code == 400
    assert study.memberships.get(user=bob).role == "viewer"


def test_who_is_not_in_cannot_be_removed(study, bob):
    assert code(services.remove_member, study, bob.email, "test") == "member.unknown"
