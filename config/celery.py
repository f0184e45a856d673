"""The Celery application. Tasks carry ids; `core.jobs` holds what they mean."""

import os

from celery import Celery
from kombu.transport import TRANSPORT_ALIASES

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")
TRANSPORT_ALIASES["folder"] = "core.broker:Transport"

app = Celery("commonplace")
app.config_from_object("django.conf:settings", namespace="CELERY")
app.autodiscover_tasks()
