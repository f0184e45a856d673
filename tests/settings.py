"""The product's settings with a throw-away data folder, plain static files and scaled time."""

import os
import tempfile

_worker = os.environ.get("PYTEST_XDIST_WORKER", "main")
os.environ["COMMONPLACE_DATA"] = tempfile.mkdtemp(prefix=f"commonplace-{_worker}-")
os.environ["COMMONPLACE_DOTENV"] = "0"
os.environ["COMMONPLACE_HASHED_STATIC"] = "0"
os.environ.setdefault("COMMONPLACE_TIME_SCALE", "20")
os.environ["COMMONPLACE_ENDPOINTS"] = "{}"

from config.settings import *  # noqa: E402, F403

WHITENOISE_AUTOREFRESH = True  # look a file up when asked; a client a test would list them all
# Tables come from the models: lint holds migrations to them, tests/system runs the migrations.
DATABASES["default"].setdefault("TEST", {})["MIGRATE"] = False  # noqa: F405
PASSWORD_HASHERS = ["django.contrib.auth.hashers.MD5PasswordHasher"]
