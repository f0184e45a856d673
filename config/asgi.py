"""The web process as an ASGI application with a bound on the requests served at once.

Each synchronous view takes a thread and a database connection; without the bound a burst of
participants would take hundreds of both (docs/operations.md).
"""

import asyncio
import os
import warnings
from typing import Any

from django.core.asgi import get_asgi_application

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")
django_application = get_asgi_application()

from django.conf import settings  # noqa: E402  (settings exist only after the line above)

# Static files are small and gathered whole; what is large goes through core.downloads.
warnings.filterwarnings("ignore", message="StreamingHttpResponse must consume synchronous")

_places = asyncio.Semaphore(settings.IN_FLIGHT)


async def application(scope: dict[str, Any], receive: Any, send: Any) -> None:
    if scope["type"] != "http":
        return
    async with _places:
        await django_application(scope, receive, send)
