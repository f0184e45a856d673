"""Who works on a study: inviting accounts, changing roles, removing; never the last owner."""

from django.db import transaction

from accounts.selectors import find_account
from core import audit
from core.errors import CommonplaceError, NotFound
from core.text import fold
from studies.models import Membership, Study
from studies.permissions import Role
from studies.services.rows import locked


def invite(study: Study, email: str, role: Role, actor: str) -> Membership:
    """Give an account a role. Asking again changes nothing; another role for somebody who is in
    is refused. Raises `account.unknown` and `member.in_already`."""
    user = find_account(email)
    with transaction.atomic():
        study = locked(study)
        membership, created = study.memberships.get_or_create(user=user, defaults={"role": role})
        if created:
            audit.record(
                actor, "member.added", "user", user.email, study=study.slug, role=role.value
            )
        elif membership.role != role:
            raise CommonplaceError(
                "member.in_already",
                f"{user.email} is in this study as {membership.role} already. Change that role in "
                "the list of members.",
                value=user.email,
                role=membership.role,
            )
    return membership


def change_role(study: Study, email: str, role: Role, actor: str) -> None:
    """Raises `member.unknown` and `member.last_owner`."""
    with transaction.atomic():
        study = locked(study)
        membership = _member(study, email)
        before = membership.role
        if before == role:
            return
        _refuse_last_owner(study, membership)
        membership.role = role
        membership.save(update_fields=["role"])
        audit.record(
            actor,
            "member.role_changed",
            "user",
            membership.user.email,
            study=study.slug,
            before=before,
            role=role.value,
        )


def remove_member(study: Study, email: str, actor: str) -> None:
    """Raises `member.unknown` and `member.last_owner`."""
    with transaction.atomic():
        study = locked(study)
        membership = _member(study, email)
        _refuse_last_owner(study, membership)
        membership.delete()
        audit.record(
            actor,
            "member.removed",
            "user",
            membership.user.email,
            study=study.slug,
            before=membership.role,
        )


def _member(study: Study, email: str) -> Membership:
    found = study.memberships.select_related("user").filter(user__email=fold(email)).first()
    if found is None:
        raise NotFound(
            "member.unknown",
            f"“{email}” is not in this study. Load the list of members again.",
            value=email,
        )
    return found


def _refuse_last_owner(study: Study, membership: Membership) -> None:
    owners = study.memberships.filter(role=Role.OWNER)
    if membership.role == Role.OWNER and owners.count() == 1:
        raise CommonplaceError(
            "member.last_owner",
            "A study always has an owner, and this is the last one. Make somebody else an owner "
            "first.",
            http_status=409,
            value=membership.user.email,
        )
