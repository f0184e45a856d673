"""The model endpoints an installation may use: what COMMONPLACE_ENDPOINTS says, and keys.

The setting is the truth about what may be used; the rows remember what ever was. A key stays in
the environment: it is read when a session begins, and neither a row, a log nor an error holds it.
"""

import os
import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from decimal import Decimal, InvalidOperation
from typing import Any, NoReturn
from urllib.parse import urlsplit

from django.conf import settings

from core.errors import CommonplaceError, NotFound
from inference.families import family
from inference.models import Endpoint, LanguageModel

MICRO = 1_000_000
MOST_IN_FLIGHT = 1000
LONGEST_MODEL = 200  # characters, as in LanguageModel.name
KNOWN_KEYS = {"base_url", "key_variable", "max_in_flight", "rate", "price", "timeout"}
KNOWN_KEYS |= {"simulated", "models", "families"}
RATES = ("requests_per_minute", "tokens_per_minute")
EXAMPLE = (
    '{"local": {"base_url": "http://127.0.0.1:8123/v1", "key_variable": "", "max_in_flight": 8, '
    '"price": {"input": 0.15, "output": 0.6}}}'
)


@dataclass(frozen=True)
class Configured:
    """One checked entry of COMMONPLACE_ENDPOINTS."""

    name: str
    base_url: str
    key_variable: str
    max_in_flight: int
    requests_per_minute: int | None  # None: no limit is known
    tokens_per_minute: int | None
    input_price: int | None  # micro-USD per million tokens
    output_price: int | None
    batch_share: Decimal  # of the price, for what is asked by batch files
    timeout: float  # seconds of the product, for one exchange
    simulated: bool
    models: tuple[str, ...]  # offered in menus; others may be named all the same
    families: Mapping[str, str]  # of models whose names do not tell


@dataclass(frozen=True)
class Target:
    """A model with all that a run must know to ask it, as it was when the run began."""

    endpoint: str
    base_url: str
    key_variable: str
    model: str
    max_in_flight: int
    input_price: int | None  # micro-USD per million tokens; None: no price is known
    output_price: int | None
    timeout: float  # seconds of the product, for one exchange
    requests_per_minute: int | None = None  # over all processes; None: no limit is known
    tokens_per_minute: int | None = None
    batch_share: Decimal = Decimal(1)  # of the price, for what is asked by batch files

    def __str__(self) -> str:
        return f"{self.endpoint}/{self.model}"

    def cost(self, input_tokens: int, output_tokens: int) -> int | None:
        """Micro-USD, rounded half up; None without a price."""
        if self.input_price is None or self.output_price is None:
            return None
        total = input_tokens * self.input_price + output_tokens * self.output_price
        return (total + MICRO // 2) // MICRO

    def by_batch(self) -> "Target":
        """The same at the price of batch files."""
        return replace(
            self,
            input_price=_part(self.input_price, self.batch_share),
            output_price=_part(self.output_price, self.batch_share),
        )


def configured() -> dict[str, Configured]:
    """The endpoints of COMMONPLACE_ENDPOINTS by name.

    Raises `endpoint.invalid`; `data` names the `endpoint` and the `key` at fault. Values are
    never repeated in the message, for one of them may be a key in the wrong place.
    """
    return {name: _checked(name, entry) for name, entry in settings.ENDPOINTS.items()}


def sync_endpoints() -> None:
    """Bring the Endpoint and LanguageModel rows in line with the setting; idempotent.

    An endpoint that is no longer configured keeps its row: calls of the past point to it.
    """
    found = configured()
    columns = ("base_url", "key_variable", "max_in_flight", "input_price", "output_price")
    kept = {row["name"]: row for row in Endpoint.objects.values("name", *columns)}
    wanted = {
        name: {"name": name, **{column: getattr(entry, column) for column in columns}}
        for name, entry in found.items()
    }
    if changed := [Endpoint(**row) for name, row in wanted.items() if kept.get(name) != row]:
        Endpoint.objects.bulk_create(
            changed, update_conflicts=True, unique_fields=["name"], update_fields=columns
        )
    for name, entry in found.items():
        _sync_models(name, entry)


def resolve_model(name: str) -> LanguageModel:
    """The row of `endpoint/model`, made when it is named for the first time.

    Raises `endpoint.none_configured`, `endpoint.unknown` (`data["known"]` lists the names),
    `model.name_missing`, `model.name_too_long` and what `configured()` raises.
    """
    endpoint, _, model = name.strip().partition("/")
    known = configured()
    if not known:
        raise CommonplaceError(
            "endpoint.none_configured",
            "No model endpoint is configured. Set COMMONPLACE_ENDPOINTS, for example to "
            f"'{EXAMPLE}', and start again.",
            model=name,
            known=[],
        )
    if endpoint not in known:
        raise NotFound(
            "endpoint.unknown",
            f"There is no endpoint named {endpoint!r}. Configured are: {', '.join(sorted(known))}. "
            "A model is written endpoint/model.",
            endpoint=endpoint,
            known=sorted(known),
        )
    if not model:
        raise CommonplaceError(
            "model.name_missing",
            f"{name!r} names an endpoint but no model. Write it as {endpoint}/model.",
            endpoint=endpoint,
        )
    if len(model) > LONGEST_MODEL:
        raise CommonplaceError(
            "model.name_too_long",
            f"A model's name has {LONGEST_MODEL} characters at most. Check the name.",
            endpoint=endpoint,
            longest=LONGEST_MODEL,
        )
    sync_endpoints()
    entry = known[endpoint]
    row, _ = LanguageModel.objects.select_related("endpoint").get_or_create(
        endpoint=Endpoint.objects.get(name=endpoint),
        name=model,
        defaults={"simulated": entry.simulated},
    )
    return row


def target(model: LanguageModel) -> Target:
    """Everything needed to ask this model, as it stands now."""
    row = model.endpoint
    entry = configured().get(row.name)
    return Target(
        endpoint=row.name,
        base_url=row.base_url,
        key_variable=row.key_variable,
        model=model.name,
        max_in_flight=row.max_in_flight,
        input_price=row.input_price,
        output_price=row.output_price,
        timeout=entry.timeout if entry else settings.REQUEST_TIMEOUT,
        requests_per_minute=entry.requests_per_minute if entry else None,
        tokens_per_minute=entry.tokens_per_minute if entry else None,
        batch_share=entry.batch_share if entry else Decimal(1),
    )


def model_family(model: LanguageModel) -> frozenset[str]:
    """Whose model it is: as the setting says, otherwise by its name (inference/families.py)."""
    entry = configured().get(model.endpoint.name)
    stated = entry.families.get(model.name) if entry else None
    return family(model.name) if stated is None else frozenset((stated,))


def read_key(target: Target) -> str:
    """The endpoint's key from the environment, "" where it needs none.

    Raises `endpoint.key_missing`, which names the variable and never its value.
    """
    if not target.key_variable:
        return ""
    key = os.environ.get(target.key_variable, "").strip()
    if not key or not key.isascii() or not key.isprintable():
        raise CommonplaceError(
            "endpoint.key_missing",
            f"The environment variable {target.key_variable} holds no usable key for the endpoint "
            f"{target.endpoint}. Set it where the worker runs, then resume.",
            endpoint=target.endpoint,
            variable=target.key_variable,
        )
    return key


def _sync_models(endpoint: str, entry: Configured) -> None:
    rows = LanguageModel.objects.filter(endpoint__name=endpoint)
    missing = set(entry.models) - set(rows.values_list("name", flat=True))
    if missing:
        owner = Endpoint.objects.get(name=endpoint)
        LanguageModel.objects.bulk_create(
            [LanguageModel(endpoint=owner, name=name) for name in sorted(missing)],
            ignore_conflicts=True,
        )
    if entry.simulated and rows.filter(simulated=False).exists():
        rows.filter(simulated=False).update(simulated=True)


# --- Checking the setting ----------------------------------------------------------------------


def _checked(name: str, entry: Any) -> Configured:
    if not name or "/" in name or len(name) > 60 or name != name.strip():
        _refuse(name, "", "needs a name of 1 to 60 characters without a slash")
    if not isinstance(entry, Mapping):
        _refuse(name, "", "must be an object with a base_url")
    if unknown := sorted(set(entry) - KNOWN_KEYS):
        _refuse(name, unknown[0], f"is not known; known are {', '.join(sorted(KNOWN_KEYS))}")
    in_flight = entry.get("max_in_flight", 8)
    if not _is_whole(in_flight) or not 1 <= in_flight <= MOST_IN_FLIGHT:
        _refuse(name, "max_in_flight", f"must be a whole number from 1 to {MOST_IN_FLIGHT}")
    timeout = entry.get("timeout", settings.REQUEST_TIMEOUT)
    if isinstance(timeout, bool) or not isinstance(timeout, int | float) or not timeout > 0:
        _refuse(name, "timeout", "must be a number of seconds above 0")
    simulated = entry.get("simulated", False)
    if not isinstance(simulated, bool):
        _refuse(name, "simulated", "must be true or false")
    models = entry.get("models", [])
    if not isinstance(models, list) or not all(isinstance(m, str) and m.strip() for m in models):
        _refuse(name, "models", "must be a list of model names")
    input_price, output_price = _prices(name, entry.get("price"))
    requests_per_minute, tokens_per_minute = _rates(name, entry.get("rate"))
    return Configured(
        name=name,
        base_url=_base_url(name, entry.get("base_url")),
        key_variable=_key_variable(name, entry.get("key_variable", "")),
        max_in_flight=in_flight,
        requests_per_minute=requests_per_minute,
        tokens_per_minute=tokens_per_minute,
        input_price=input_price,
        output_price=output_price,
        batch_share=_batch_share(name, entry.get("price")),
        timeout=float(timeout),
        simulated=simulated,
        models=tuple(dict.fromkeys(models)),
        families=_families(name, entry.get("families")),
    )


def _base_url(name: str, value: Any) -> str:
    try:
        parts = urlsplit(value if isinstance(value, str) else "")
        usable = parts.scheme in {"http", "https"} and parts.hostname and (parts.port or True)
    except ValueError:
        usable = False
    if not usable:
        _refuse(name, "base_url", "must be an address such as https://host/v1")
    if parts.username or parts.password or parts.query or len(value) > 400:
        _refuse(name, "base_url", "must be a plain address; keys belong into the key variable")
    return str(value).rstrip("/")


def _key_variable(name: str, value: Any) -> str:
    if not isinstance(value, str) or not re.fullmatch(r"(?:[A-Za-z_][A-Za-z0-9_]{0,119})?", value):
        _refuse(
            name,
            "key_variable",
            'must be the name of an environment variable, not a key; use "" where none is needed',
        )
    return str(value)


def _prices(name: str, value: Any) -> tuple[int | None, int | None]:
    """USD per million tokens as micro-USD per million tokens: (input, output)."""
    if value is None:
        return None, None
    if not isinstance(value, Mapping) or set(value) - {"batch"} != {"input", "output"}:
        _refuse(
            name,
            "price",
            "must be an object with input and output, in USD per million tokens, and if wanted "
            "batch, the share of them that batch files cost",
        )
    return _price(name, value["input"]), _price(name, value["output"])


def _price(name: str, value: Any) -> int:
    try:
        usd = Decimal("nan") if isinstance(value, bool) else Decimal(str(value))
    except InvalidOperation:
        usd = Decimal("nan")
    if not usd.is_finite() or not 0 <= usd < MICRO:
        _refuse(name, "price", "must be numbers of USD per million tokens, 0 or more")
    return int((usd * MICRO).to_integral_value())


def _batch_share(name: str, price: Any) -> Decimal:
    value = price.get("batch", 1) if isinstance(price, Mapping) else 1
    numeric = isinstance(value, int | float) and not isinstance(value, bool)
    if not numeric or not 0 <= value <= 1:
        _refuse(name, "price", "needs a batch from 0 to 1, such as 0.5 for half the price")
    return Decimal(str(value))


def _part(price: int | None, share: Decimal) -> int | None:
    return None if price is None else int((price * share).to_integral_value())


def _rates(name: str, value: Any) -> tuple[int | None, int | None]:
    """(requests, tokens) a minute, None where nothing is said."""
    value = {} if value is None else value
    if not isinstance(value, Mapping) or not set(value) <= set(RATES):
        _refuse(name, "rate", f"must be an object with {' and '.join(RATES)}, or one of them")
    for kind, number in value.items():
        if number is not None and (not _is_whole(number) or number < 1):
            _refuse(name, "rate", f"needs a whole number of 1 or more as {kind}")
    return value.get(RATES[0]), value.get(RATES[1])


def _families(name: str, value: Any) -> Mapping[str, str]:
    value = {} if value is None else value
    if not isinstance(value, Mapping) or not all(
        isinstance(stated, str) and stated.strip() for stated in value.values()
    ):
        _refuse(name, "families", "must be an object of model names and the family of each")
    return {model: stated.strip().casefold() for model, stated in value.items()}


def _is_whole(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)


def _refuse(endpoint: str, key: str, reason: str) -> NoReturn:
    place = f"{key!r} of the endpoint {endpoint!r}" if key else f"The endpoint {endpoint!r}"
    raise CommonplaceError(
        "endpoint.invalid",
        f"COMMONPLACE_ENDPOINTS: {place} {reason}.",
        endpoint=endpoint,
        key=key,
    )
