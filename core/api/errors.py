"""One shape of errors, whatever went wrong: `{"error": {"code", "message", "data"}}`."""

from http import HTTPStatus
from typing import Any

from django.core.exceptions import PermissionDenied, RequestDataTooBig, SuspiciousOperation
from django.http import Http404, UnreadablePostError
from django.utils.log import log_response
from rest_framework import exceptions
from rest_framework.response import Response
from rest_framework.views import set_rollback

from core.errors import CommonplaceError

# Framework exceptions in our words, the more special ones first.
_REFUSALS: tuple[tuple[type[Exception], int, str, str], ...] = (
    (
        exceptions.NotAuthenticated,
        401,
        "api.not_authenticated",
        "Send a token as “Authorization: Bearer cp_…”. Make one under “API tokens”.",
    ),
    (
        exceptions.AuthenticationFailed,
        401,
        "api.not_authenticated",
        "Who sends this could not be made out. Send a token as “Authorization: Bearer cp_…”.",
    ),
    (
        exceptions.PermissionDenied,
        403,
        "api.not_allowed",
        "This is refused. With a browser's session, send the CSRF token along; with a token, "
        "check what it may do.",
    ),
    (PermissionDenied, 403, "api.not_allowed", "Your account may not do this."),
    (
        exceptions.MethodNotAllowed,
        405,
        "api.method_not_allowed",
        "This address does not take that method. The schema lists those it takes.",
    ),
    (
        exceptions.NotAcceptable,
        406,
        "api.json_only",
        "Answers come as JSON only. Accept application/json.",
    ),
    (
        exceptions.UnsupportedMediaType,
        415,
        "api.json_only",
        "Requests are read as JSON only. Send Content-Type: application/json.",
    ),
    (
        exceptions.ParseError,
        400,
        "api.unreadable",
        "The body is not JSON that can be read. Check it and send it again.",
    ),
    (
        RequestDataTooBig,
        413,
        "api.too_large",
        "The body is larger than this server reads. Send less at once.",
    ),
    (
        UnreadablePostError,
        400,
        "api.unreadable",
        "The body broke off before its end. Send it again.",
    ),
    (
        exceptions.NotFound,
        404,
        "api.unknown_address",
        "There is nothing at this address; those of the API end with a slash. The schema has all.",
    ),
    (Http404, 404, "api.unknown_address", "There is nothing at this address."),
    (SuspiciousOperation, 400, "api.unreadable", "This request could not be read."),
)
BROKEN = CommonplaceError(
    "api.failed",
    "Something went wrong on this side, and it is in the log. Nothing you sent is at fault; try "
    "again later.",
    http_status=500,
)


def error_response(exception: Exception, context: dict[str, Any]) -> Response:
    """The answer to any exception of an endpoint; what nobody foresaw is logged and not told."""
    error = _as_error(exception)
    set_rollback()
    response = Response({"error": error.as_dict()}, status=error.http_status)
    if error.http_status == HTTPStatus.UNAUTHORIZED:
        response["WWW-Authenticate"] = 'Bearer realm="api"'
    if error is BROKEN:
        request = context["request"]
        log_response(
            "Failed: %s %s",
            request.method,
            request.path,
            exception=exception,
            request=request,
            response=response,
        )
    return response


def _as_error(exception: Exception) -> CommonplaceError:
    if isinstance(exception, CommonplaceError):
        return exception
    if isinstance(exception, exceptions.ValidationError):
        return _invalid(exception.get_full_details())
    for kind, status, code, message in _REFUSALS:
        if isinstance(exception, kind):
            return CommonplaceError(code, message, http_status=status)
    return BROKEN


def _invalid(details: Any) -> CommonplaceError:
    """What a serializer refused: each field with its sentences."""
    fields = _sentences(details)
    named = ", ".join(fields) if isinstance(fields, dict) else "the body"
    return CommonplaceError(
        "api.invalid", f"Please put right: {named}. `data` says what is wrong.", fields=fields
    )


def _sentences(details: Any) -> Any:
    if isinstance(details, dict) and set(details) == {"message", "code"}:
        return str(details["message"])
    if isinstance(details, dict):
        return {name: _sentences(value) for name, value in details.items()}
    return [_sentences(value) for value in details]
