"""All settings, one screen a section. What varies by deployment comes from the environment
(`.env.example` lists it); `config/env.py` decides the profile and refuses the impossible."""

from datetime import timedelta
from pathlib import Path

import environ
from csp.constants import NONE, SELF

from config import env

BASE_DIR = Path(__file__).resolve().parent.parent
if env.flag("COMMONPLACE_DOTENV", default=True):
    environ.Env.read_env(BASE_DIR / ".env")  # what is set already wins
DATA_DIR = Path(env.text("COMMONPLACE_DATA") or BASE_DIR / "var").resolve()
DATA_DIR.mkdir(parents=True, exist_ok=True)

PROFILE = env.profile()
EMBEDDED = PROFILE.name == "embedded"
SECRET_KEY = env.secret_key(DATA_DIR, PROFILE)
DEBUG = env.flag("COMMONPLACE_DEBUG")
LOOPBACK = ("localhost", "127.0.0.1", "[::1]")  # health checks of the machine itself
ALLOWED_HOSTS = [*filter(None, env.text("ALLOWED_HOSTS").split(",")), *LOOPBACK]
CSRF_TRUSTED_ORIGINS = [o for o in env.text("CSRF_TRUSTED_ORIGINS").split(",") if o]

# --- The house -----------------------------------------------------------------------------
INSTALLED_APPS = [
    "core",
    "accounts",
    "studies",
    "collection",
    "games",
    "annotation",
    "inference",
    "releases",
    "evaluation",
    "console",
    "django.contrib.auth",
    "django.contrib.contenttypes",
    "django.contrib.sessions",
    "django.contrib.messages",
    "django.contrib.staticfiles",
    "django.contrib.admin",
    "rest_framework",
    "drf_spectacular",
    "django_htmx",
    "axes",
    "csp",
]
MIDDLEWARE = [
    "django.middleware.security.SecurityMiddleware",
    "whitenoise.middleware.WhiteNoiseMiddleware",
    "csp.middleware.CSPMiddleware",
    "django.contrib.sessions.middleware.SessionMiddleware",
    "django.middleware.locale.LocaleMiddleware",
    "django.middleware.common.CommonMiddleware",
    "django.middleware.csrf.CsrfViewMiddleware",
    "django.contrib.auth.middleware.AuthenticationMiddleware",
    "django.contrib.auth.middleware.LoginRequiredMiddleware",
    "django.contrib.messages.middleware.MessageMiddleware",
    "django.middleware.clickjacking.XFrameOptionsMiddleware",
    "django_htmx.middleware.HtmxMiddleware",
    "core.middleware.ErrorPages",
    "axes.middleware.AxesMiddleware",
]
ROOT_URLCONF = "config.urls"
ASGI_APPLICATION = "config.asgi.application"
TEMPLATES = [
    {
        "BACKEND": "django.template.backends.django.DjangoTemplates",
        "DIRS": [BASE_DIR / "templates"],
        "OPTIONS": {
            "loaders": [
                (
                    "django.template.loaders.cached.Loader",
                    [
                        "django.template.loaders.filesystem.Loader",
                        "django.template.loaders.app_directories.Loader",
                    ],
                )
            ],
            "context_processors": [
                "django.template.context_processors.request",
                "django.contrib.auth.context_processors.auth",
                "django.contrib.messages.context_processors.messages",
            ],
        },
    }
]
DEFAULT_AUTO_FIELD = "django.db.models.BigAutoField"

# --- Database: SQLite tuned for one writer, or PostgreSQL with a pool ------------------------
IN_FLIGHT = env.whole("COMMONPLACE_IN_FLIGHT", 4 if EMBEDDED else 16, least=1)  # at once
DOWNLOADS = 4  # sent at once, besides
SOCKET_THREADS = 1 if EMBEDDED else 4  # that answer players' sockets, and one for the clock
SQLITE_PRAGMAS = (
    "PRAGMA journal_mode=WAL; PRAGMA synchronous=NORMAL; PRAGMA busy_timeout=20000; "
    "PRAGMA mmap_size=268435456; PRAGMA cache_size=-65536; PRAGMA temp_store=MEMORY; "
    "PRAGMA wal_autocheckpoint=4000;"  # pages: each time all wait for two writes to the disk
)
if EMBEDDED:
    DATABASES = {
        "default": {
            "ENGINE": "django.db.backends.sqlite3",
            "NAME": (
                environ.Env.db_url_config(PROFILE.database_url)["NAME"]
                if PROFILE.database_url
                else DATA_DIR / "commonplace.sqlite3"
            ),
            "CONN_MAX_AGE": None,
            "OPTIONS": {
                "transaction_mode": "IMMEDIATE",
                "timeout": 20,
                "init_command": SQLITE_PRAGMAS,
            },
            "TEST": {"NAME": DATA_DIR / "test.sqlite3"},
        }
    }
else:
    DATABASES = {
        "default": {
            **environ.Env.db_url_config(PROFILE.database_url),
            "CONN_MAX_AGE": 0,
            "OPTIONS": {
                "pool": {
                    "min_size": 1,
                    "max_size": IN_FLIGHT + DOWNLOADS + SOCKET_THREADS + 1,
                    "timeout": 20,
                }
            },
        }
    }
ATOMIC_REQUESTS = False

# --- Work: Celery carries job ids; the Job rows are the truth ----------------------------------
CELERY_BROKER_URL = PROFILE.redis_url or "folder://localhost//"
CELERY_BROKER_CONNECTION_RETRY_ON_STARTUP = True
CELERY_WORKER_PREFETCH_MULTIPLIER = 1
CELERY_TASK_IGNORE_RESULT = True
CELERY_WORKER_HIJACK_ROOT_LOGGER = False
if not PROFILE.redis_url:
    QUEUE_DIR = DATA_DIR / "queue"
    QUEUE_DIR.mkdir(mode=0o700, exist_ok=True)
    CELERY_BROKER_TRANSPORT_OPTIONS = {"folder": str(QUEUE_DIR), "polling_interval": 0.1}

# --- Sockets of players: hints what to look at, each at most once; the rows are the truth --------
CHANNEL_LAYERS = {
    "default": {
        "BACKEND": "channels_redis.pubsub.RedisPubSubChannelLayer",
        "CONFIG": {
            "hosts": [{"address": PROFILE.redis_url, "max_connections": 10_000}],
            "prefix": env.channel_prefix(SECRET_KEY, PROFILE),
        },
    }
    if PROFILE.redis_url
    else {"BACKEND": "core.layers.InProcessLayer"}
}
SOCKET_BYTES = 8 * 1024  # of one message from a player

# --- Durations, in seconds of the product; COMMONPLACE_TIME_SCALE divides them all --------------
TIME_SCALE = env.number("COMMONPLACE_TIME_SCALE", 1, least=0.001)
JOB_TICK = env.number("COMMONPLACE_JOB_TICK", 5, least=0.1)  # how often a worker looks round
JOB_TIMEOUT = env.number("COMMONPLACE_JOB_TIMEOUT", 30, least=1)  # silent this long: dead
JOB_ATTEMPTS = 5
REQUEST_TIMEOUT = env.number("COMMONPLACE_REQUEST_TIMEOUT", 120, least=0.1)
RETRY_ATTEMPTS = env.whole("COMMONPLACE_RETRY_ATTEMPTS", 6, least=1)
WORKER_IN_FLIGHT = env.whole("COMMONPLACE_WORKER_IN_FLIGHT", 64, least=1)  # requests of one run
RETRY_LONGEST_WAIT = 300  # a longer Retry-After pauses the run instead
SIGN_IN_COOLOFF = 15 * 60
LINK_DAYS = 90  # how long an invitation stands before its activity has begun
IDLE_AFTER = 10 * 60  # time between two saves counts as work up to this much
STUCK_AFTER = 48 * 3600  # silent this long while answering: the monitor says so
GAME_TICK = 0.5  # how often a web process does what time does in games
GAME_HEARTBEAT, GAME_IDLE_AFTER = env.heartbeat()  # of a player's page; silent this long: lost
UNOPENED_AFTER = 7 * 24 * 3600  # invited this long and not opened
REVIEW_WITHIN = 72 * 3600  # who has sent everything waits no longer for a decision
DEADLINE_NEAR = 48 * 3600  # the monitor warns this long before somebody's time is up
TIME_OUT_EVERY = 60  # how often workers look for participations whose time is up
ANNOTATION_LEASE = 30 * 60  # seconds a task stays with who opened it
ANNOTATION_LAPSE_EVERY = 60  # how often drafts that were left give their slot back
RETENTION_EVERY = 24 * 3600  # how often workers look for what is kept too long
UNUSED_PARTS_KEPT = 24 * 3600  # files of a release that is not made yet, or never will be
EXPORT_DAYS = env.whole("COMMONPLACE_EXPORT_DAYS", 7, least=1)  # files of answers are kept
JOB_RETENTION_DAYS = env.whole("COMMONPLACE_JOB_RETENTION_DAYS", 90, least=1)  # once they ended

# --- People, sign-in -------------------------------------------------------------------------
AUTH_USER_MODEL = "accounts.User"
AUTHENTICATION_BACKENDS = [
    "axes.backends.AxesStandaloneBackend",
    "django.contrib.auth.backends.ModelBackend",
]
AUTH_PASSWORD_VALIDATORS = [
    {"NAME": f"django.contrib.auth.password_validation.{name}"}
    for name in (
        "UserAttributeSimilarityValidator",
        "MinimumLengthValidator",
        "CommonPasswordValidator",
        "NumericPasswordValidator",
    )
]
LOGIN_URL = "accounts:sign_in"
LOGIN_REDIRECT_URL = "console:home"
LOGOUT_REDIRECT_URL = "accounts:sign_in"
PASSWORD_RESET_TIMEOUT = 7 * 24 * 3600  # the one-time link of the first administrator
AXES_FAILURE_LIMIT = 5
AXES_COOLOFF_TIME = timedelta(seconds=SIGN_IN_COOLOFF / TIME_SCALE)
AXES_USERNAME_CALLABLE = "accounts.services.name_given"
AXES_LOCKOUT_PARAMETERS = [["username", "ip_address"]]
AXES_LOCKOUT_TEMPLATE = "accounts/locked.html"
AXES_RESET_ON_SUCCESS = True
AXES_VERBOSE = False

# --- The API for programs (docs/api.md) ---------------------------------------------------------
REST_FRAMEWORK = {
    "DEFAULT_AUTHENTICATION_CLASSES": [
        "accounts.authentication.TokenAuthentication",  # first: its challenge makes a 401
        "rest_framework.authentication.SessionAuthentication",
    ],
    "DEFAULT_PERMISSION_CLASSES": ["accounts.authentication.Scoped"],
    "DEFAULT_RENDERER_CLASSES": ["rest_framework.renderers.JSONRenderer"],
    "DEFAULT_PARSER_CLASSES": ["core.api.reading.JsonParser"],
    "DEFAULT_PAGINATION_CLASS": "core.api.pages.Pages",
    "DEFAULT_SCHEMA_CLASS": "config.openapi.Schema",
    "DEFAULT_METADATA_CLASS": None,
    "EXCEPTION_HANDLER": "core.api.errors.error_response",
    "URL_FORMAT_OVERRIDE": None,
}
SPECTACULAR_SETTINGS = {
    "TITLE": "Commonplace",
    "DESCRIPTION": "Studies, who takes part, answers, releases and benchmark runs.",
    "VERSION": "1",
    "OAS_VERSION": "3.1.0",  # the first that lets a bearer token name its scopes
    "SERVE_INCLUDE_SCHEMA": False,
    "SERVE_PERMISSIONS": ["rest_framework.permissions.AllowAny"],
    "SCHEMA_PATH_PREFIX": "/api/v1",
    "POSTPROCESSING_HOOKS": [
        "drf_spectacular.hooks.postprocess_schema_enums",
        "config.openapi.describe_errors",
    ],
}
IDEMPOTENCY_KEPT = 24 * 3600  # how long an answer is kept for the same Idempotency-Key
IDEMPOTENCY_EVERY = 3600  # how often workers look for answers that are kept too long
IDEMPOTENCY_LEASE = 5 * 60  # whoever works on a request for longer is given up on

# --- What a browser is allowed -----------------------------------------------------------------
SECURE_TRANSPORT = env.flag("COMMONPLACE_HTTPS")
SESSION_COOKIE_SECURE = CSRF_COOKIE_SECURE = SECURE_TRANSPORT
SECURE_PROXY_SSL_HEADER = ("HTTP_X_FORWARDED_PROTO", "https") if SECURE_TRANSPORT else None
SECURE_HSTS_SECONDS = 31_536_000 if SECURE_TRANSPORT else 0
SECURE_REFERRER_POLICY = "same-origin"
X_FRAME_OPTIONS = "DENY"
CSRF_FAILURE_VIEW = "core.views.csrf_failure"
CONTENT_SECURITY_POLICY = {
    "DIRECTIVES": {
        "default-src": [SELF],
        "img-src": [SELF, "data:"],
        "object-src": [NONE],
        "base-uri": [NONE],
        "form-action": [SELF],
        "frame-ancestors": [NONE],
    }
}

# --- Languages, time, files ----------------------------------------------------------------------
LANGUAGE_CODE = "en"
LANGUAGES = [("en", "English")]  # of the console; `core.catalogue` has those of participants
LOCALE_PATHS = [BASE_DIR / "locale"]
USE_I18N = True
TIME_ZONE = "UTC"
USE_TZ = True
STATIC_URL = "static/"
STATIC_ROOT = DATA_DIR / "static"
STATIC_ROOT.mkdir(exist_ok=True)
STATICFILES_DIRS = [BASE_DIR / "static"]
STORAGES = {
    "default": {"BACKEND": "django.core.files.storage.FileSystemStorage"},
    "private": {
        "BACKEND": "django.core.files.storage.FileSystemStorage",
        "OPTIONS": {"location": DATA_DIR / "private", "base_url": None},
    },
    "staticfiles": {
        "BACKEND": (
            "whitenoise.storage.CompressedManifestStaticFilesStorage"
            if env.flag("COMMONPLACE_HASHED_STATIC", default=True)
            else "django.contrib.staticfiles.storage.StaticFilesStorage"
        )
    },
}
WHITENOISE_USE_FINDERS = not env.flag("COMMONPLACE_HASHED_STATIC", default=True)
DATA_UPLOAD_MAX_MEMORY_SIZE = 5 * 1024 * 1024
# The largest form: 15 lists of 100 things at two fields, three more a question, 30 checks on top
# of 60 options each. Tested against the page, in tests/collection/test_form_pages.py.
DATA_UPLOAD_MAX_NUMBER_FIELDS = 15 * (2 * 100 + 3) + 30 * (60 + 3)

# --- Recruiters: what their messages are signed with -------------------------------------------
PROLIFIC_SECRET = env.text("COMMONPLACE_PROLIFIC_SECRET")  # empty: their messages are refused

# --- Models to benchmark ---------------------------------------------------------------------
ENDPOINTS = env.json_object("COMMONPLACE_ENDPOINTS")
BATCH_REQUESTS = env.whole("COMMONPLACE_BATCH_REQUESTS", 50_000, least=1)  # in one batch file
BATCH_BYTES = env.whole("COMMONPLACE_BATCH_MB", 200, least=1) * 1_000_000
BATCH_UPLOAD_BYTES = 50_000_000  # of results on the run's page, all files together

# --- Log: to standard error; nothing secret is ever passed to a logger ---------------------------
LOG_LEVEL = env.text("COMMONPLACE_LOG_LEVEL") or "WARNING"
LOGGING = {
    "version": 1,
    "disable_existing_loggers": False,
    "formatters": {
        "line": {
            "class": "core.logs.Line",  # shortens personal links
            "format": "{asctime} {levelname} {name}: {message}",
            "style": "{",
        }
    },
    "handlers": {"stderr": {"class": "logging.StreamHandler", "formatter": "line"}},
    "root": {"handlers": ["stderr"], "level": LOG_LEVEL},
    "loggers": {
        "django.request": {"level": "ERROR"},
        "django.security": {"level": "ERROR"},
    },
}
