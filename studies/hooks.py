"""Where recruiters' services report what happened to a submission on their side."""

from django.conf import settings
from django.contrib.auth.decorators import login_not_required
from django.http import HttpRequest, JsonResponse
from django.views.decorators.csrf import csrf_exempt
from django.views.decorators.http import require_POST

from core.errors import CommonplaceError
from studies import services, webhook

NOT_OURS = 202  # taken, so that nobody sends it again, and nothing is done


@csrf_exempt  # the signature is the proof
@login_not_required
@require_POST
def prolific(request: HttpRequest) -> JsonResponse:
    """`{"outcome"}` of `services.hear`, or `{"error"}`."""
    try:
        event = webhook.read(_genuine(request))
        outcome = services.hear(event)
    except CommonplaceError as error:
        return JsonResponse({"error": error.as_dict()}, status=error.http_status)
    return JsonResponse({"outcome": outcome}, status=NOT_OURS if outcome == "unknown" else 200)


def _genuine(request: HttpRequest) -> bytes:
    """The body of a signed message. Raises `webhook.off`, `webhook.too_long` and
    `webhook.signature`."""
    if not settings.PROLIFIC_SECRET:
        raise CommonplaceError(
            "webhook.off",
            "This installation takes no messages from Prolific. Set COMMONPLACE_PROLIFIC_SECRET "
            "to the secret of the workspace.",
            http_status=503,
        )
    body = request.read(webhook.LONGEST + 1)
    if len(body) > webhook.LONGEST:
        raise CommonplaceError(
            "webhook.too_long",
            f"A message has at most {webhook.LONGEST} bytes.",
            http_status=413,
        )
    timestamp = request.headers.get("X-Prolific-Request-Timestamp", "")
    given = request.headers.get("X-Prolific-Request-Signature", "")
    webhook.verify(body, timestamp, given, settings.PROLIFIC_SECRET)
    return body
