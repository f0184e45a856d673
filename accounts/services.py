"""Every write to accounts."""

from collections.abc import Iterable, Mapping
from datetime import timedelta
from typing import Any

from django.conf import settings
from django.contrib.auth.tokens import default_token_generator
from django.core.exceptions import ValidationError
from django.core.validators import validate_email
from django.db import IntegrityError, transaction
from django.db.models import Q
from django.http import HttpRequest
from django.urls import reverse
from django.utils.encoding import force_bytes
from django.utils.http import urlsafe_base64_encode

from accounts import reach, tokens
from accounts.models import ApiToken, IdempotentRequest, User
from core import audit, clock
from core.errors import CommonplaceError
from core.text import clean, fold

FIRST_ADMIN = "admin@localhost.localdomain"
USE_NOTED_EVERY = 60  # seconds of product time


def first_admin_link() -> str | None:
    """The path where the first administrator sets a password; None once somebody has.

    Creates that administrator when there is no superuser yet. The link dies with its first use.
    """
    admin = _first_admin() or _made_first_admin()
    return None if admin.has_usable_password() else one_time_path(admin)


def _first_admin() -> User | None:
    return User.objects.filter(is_superuser=True).order_by("pk").first()


def _made_first_admin() -> User:
    """Of two servers that start at once one makes it, and both have it."""
    try:
        with transaction.atomic():
            admin = User.objects.create_superuser(FIRST_ADMIN, name="Administrator")
            audit.record(audit.SYSTEM, "account.created", "user", admin.email)
    except IntegrityError:
        if made := _first_admin():
            return made
        raise
    return admin


def one_time_path(user: User) -> str:
    """Where a user sets a password; good once, for `PASSWORD_RESET_TIMEOUT`."""
    uid = urlsafe_base64_encode(force_bytes(user.pk))
    return reverse("accounts:welcome", args=[uid, default_token_generator.make_token(user)])


def create_account(email: str, *, superuser: bool, actor: str) -> User:
    """An account nobody can sign in to before its one-time link is used.

    Raises `account.email_invalid` and `account.exists`.
    """
    try:
        validate_email(email.strip())
    except ValidationError as error:
        raise CommonplaceError(
            "account.email_invalid", f"{email!r} is not an e-mail address. Write it as name@host."
        ) from error
    try:
        with transaction.atomic():
            user = User.objects.create_user(email, is_superuser=superuser)
            audit.record(actor, "account.created", "user", user.email, superuser=superuser)
    except IntegrityError as error:
        raise CommonplaceError(
            "account.exists", f"There is an account of {email} already. Leave out --new."
        ) from error
    return user


def changed_password(user: User) -> None:
    audit.record(user.email, "account.password_changed", "user", user.email)


def name_given(request: HttpRequest, credentials: Mapping[str, Any] | None = None) -> str:
    """The address somebody tried to sign in with, folded: other spellings are the same attempt."""
    given = credentials if credentials is not None else request.POST
    return fold(str(given.get("username") or given.get("email") or ""))


def set_active(user: User, active: bool, actor: User) -> None:
    """Open or close an account; a closed one cannot sign in and its tokens stop working.

    Raises `account.own` for somebody who would lock themselves out.
    """
    if user.pk == actor.pk and not active:
        raise CommonplaceError(
            "account.own",
            "You cannot close your own account. Ask another administrator to do it.",
        )
    with transaction.atomic():
        if User.objects.filter(pk=user.pk, is_active=not active).update(is_active=active):
            action = "account.opened" if active else "account.closed"
            audit.record(actor.email, action, "user", user.email)


# --- Tokens -------------------------------------------------------------------------------------


def create_token(
    user: User,
    name: str,
    scopes: Iterable[str],
    actor: str,
    *,
    studies: Iterable[str] = (),
    days: int = tokens.DAYS,
) -> tuple[ApiToken, str]:
    """A new token and its secret, which nobody can read again.

    Raises `token.name`, `token.unknown_scope`, `token.no_scope`, `token.unknown_study`,
    `token.days`.
    """
    secret, now = tokens.new_secret(), clock.now()
    token = ApiToken(
        user=user,
        name=tokens.read_name(clean(name)),
        hash=tokens.digest(secret),
        prefix=tokens.prefix(secret),
        scopes=tokens.read_scopes(scopes),
        studies=tokens.read_studies(studies, reach.studies(user)),
        created=now,
        expires=now + timedelta(days=tokens.read_days(days)),
    )
    with transaction.atomic():
        token.save()
        audit.record(
            actor,
            "token.created",
            "token",
            token.prefix,
            owner=user.email,
            scopes=token.scopes,
            studies=token.studies,
        )
    return token, secret


def revoke_token(token: ApiToken, actor: str) -> None:
    """The token stops working at once; a second time changes nothing."""
    with transaction.atomic():
        if ApiToken.objects.filter(pk=token.pk, revoked=None).update(revoked=clock.now()):
            audit.record(actor, "token.revoked", "token", token.prefix)


def note_use(token: ApiToken) -> None:
    """Remember that a token was used, with at most one write a minute."""
    stale = clock.ago(USE_NOTED_EVERY)
    if token.last_used is None or token.last_used < stale:
        ApiToken.objects.filter(Q(last_used=None) | Q(last_used__lt=stale), pk=token.pk).update(
            last_used=clock.now()
        )


# --- Requests under a key -----------------------------------------------------------------------


def claim_request(user: User, key: str, asked: str) -> IdempotentRequest:
    """The row of a request: with a status it holds the answer given before, without one it is
    the caller's to work on and to end with `answer_request` or `release_request`.

    `asked` is the digest of what is asked for. Whoever worked on it and went silent is given up
    on after `IDEMPOTENCY_LEASE`. Raises `api.key_reused` (422), `api.key_in_progress` (409).
    """
    rows, now = IdempotentRequest.objects, clock.now()
    forget_requests()  # so that a key is free again after its time, also without a worker
    try:
        with transaction.atomic():
            return rows.create(user=user, key=key, asked=asked, claimed=now, created=now)
    except IntegrityError:
        row = rows.filter(user=user, key=key).first()
    if row is not None and row.asked != asked:
        raise CommonplaceError(
            "api.key_reused",
            "This Idempotency-Key was sent with another request before. Use a new key for each "
            "new request.",
            http_status=422,
        )
    if row is not None and row.status is not None:
        return row
    silent = rows.filter(
        user=user, key=key, status=None, claimed__lt=clock.ago(settings.IDEMPOTENCY_LEASE)
    )
    if row is None or not silent.update(claimed=now):
        raise CommonplaceError(
            "api.key_in_progress",
            "The first request with this Idempotency-Key is still worked on. Send it again in a "
            "moment.",
            http_status=409,
        )
    return row


def answer_request(row: IdempotentRequest, status: int, response: Any) -> None:
    """Keep the answer (JSON values) for whoever sends the request again."""
    IdempotentRequest.objects.filter(pk=row.pk, status=None).update(
        status=status, response=response
    )


def release_request(row: IdempotentRequest) -> None:
    """Nothing was done: the key is free for a corrected request."""
    IdempotentRequest.objects.filter(pk=row.pk, status=None).delete()


def forget_requests() -> int:
    """Delete requests and their answers once they were kept for their time, since an answer may
    hold what was sent; how many."""
    before = clock.ago(settings.IDEMPOTENCY_KEPT)
    return IdempotentRequest.objects.filter(created__lt=before).delete()[0]
