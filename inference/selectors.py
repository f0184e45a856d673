"""Reads for the page of models."""

import json
import os
from dataclasses import dataclass
from typing import Any

from django.db.models import Count, Max, Q, Sum

from inference.endpoints import MICRO, RATES, Configured, configured
from inference.models import Call, Endpoint, LanguageModel


@dataclass(frozen=True)
class ModelUse:
    """What one model has been asked so far."""

    name: str  # endpoint/model
    simulated: bool
    calls: int
    failed: int  # exchanges without a reply
    input_tokens: int
    output_tokens: int
    cost_micro: int | None  # None: no call of it had a price
    unpriced: int  # calls whose cost is not known
    last: Any  # datetime | None; None: never asked


@dataclass(frozen=True)
class EndpointUse:
    """One endpoint: how it is configured and what its models have been asked."""

    name: str
    base_url: str
    key_variable: str
    key_present: bool
    max_in_flight: int
    requests_per_minute: int | None  # over all workers; None: no limit is known
    tokens_per_minute: int | None
    input_price: int | None  # micro-USD per million tokens
    output_price: int | None
    configured: bool  # False: only known from earlier calls
    models: list[ModelUse]

    @property
    def setting(self) -> str:
        """The value of COMMONPLACE_ENDPOINTS that configures this endpoint as it was known."""
        entry: dict[str, Any] = {
            "base_url": self.base_url,
            "key_variable": self.key_variable,
            "max_in_flight": self.max_in_flight,
        }
        if self.input_price is not None and self.output_price is not None:
            entry["price"] = {
                "input": self.input_price / MICRO,
                "output": self.output_price / MICRO,
            }
        return json.dumps({self.name: entry}, ensure_ascii=False)


def endpoint_use() -> list[EndpointUse]:
    """Every endpoint that is configured or ever was, configured ones first, by name.

    Raises `endpoint.invalid` when the setting cannot be read.
    """
    now = configured()
    past: list[Endpoint | Configured] = [
        row for row in Endpoint.objects.order_by("name") if row.name not in now
    ]
    uses = _model_uses()
    return [
        EndpointUse(
            name=entry.name,
            base_url=entry.base_url,
            key_variable=entry.key_variable,
            key_present=bool(os.environ.get(entry.key_variable, "").strip()),
            max_in_flight=entry.max_in_flight,
            **_rates(entry),
            input_price=entry.input_price,
            output_price=entry.output_price,
            configured=isinstance(entry, Configured),
            models=uses.get(entry.name, []),
        )
        for entry in [*(now[name] for name in sorted(now)), *past]
    ]


def _rates(entry: Endpoint | Configured) -> dict[str, int | None]:
    """Only the setting knows them."""
    return {name: getattr(entry, name, None) for name in RATES}


def menu() -> list[str]:
    """The models to offer in a menu, as endpoint/model: those listed and those used before."""
    now = configured()
    listed = {f"{entry.name}/{model}" for entry in now.values() for model in entry.models}
    rows = LanguageModel.objects.filter(endpoint__name__in=now).select_related("endpoint")
    return sorted(listed | {str(row) for row in rows})


def _model_uses() -> dict[str, list[ModelUse]]:
    """Models by endpoint's name. Two grouped queries, whatever the number of calls."""
    totals: dict[int, dict[str, Any]] = {
        row["model"]: dict(row)
        for row in Call.objects.values("model").annotate(
            calls=Count("id"),
            failed=Count("id", filter=Q(error__isnull=False)),
            input_tokens=Sum("input_tokens"),
            output_tokens=Sum("output_tokens"),
            cost=Sum("cost_micro"),
            unpriced=Count("id", filter=Q(cost_micro__isnull=True)),
            last=Max("at"),
        )
    }
    uses: dict[str, list[ModelUse]] = {}
    for model in LanguageModel.objects.select_related("endpoint").order_by("name"):
        total = totals.get(model.pk, {})
        uses.setdefault(model.endpoint.name, []).append(
            ModelUse(
                name=str(model),
                simulated=model.simulated,
                calls=total.get("calls", 0),
                failed=total.get("failed", 0),
                input_tokens=total.get("input_tokens", 0),
                output_tokens=total.get("output_tokens", 0),
                cost_micro=total.get("cost"),
                unpriced=total.get("unpriced", 0),
                last=total.get("last"),
            )
        )
    return uses
