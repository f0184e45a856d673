"""Keeps what a hand sends within the run's cap."""

from core.errors import CommonplaceError
from core.jobs import Work
from evaluation.models import Run
from inference import leases
from inference.endpoints import Target
from inference.models import Budget
from inference.requests import ChatRequest

AHEAD = 16  # requests' worth set aside at once, while the cap allows


class Purse:
    """Sets aside the most a request can cost before it is sent, several requests' worth at once.

    All in micro-USD. What is left over returns to the budget with the lease.
    """

    def __init__(self, run: Run, work: Work, endpoint: Target) -> None:
        self.run, self.work, self.endpoint = run, work, endpoint
        self.free = 0

    def take_out(self, request: ChatRequest, n: int) -> int | None:
        """What is set aside for a request for `n` replies; None where the cap forbids it now."""
        budget = self.run.budget_id
        if budget is None:
            return 0
        if self.endpoint.input_price is None:
            return None
        cost = most_it_costs(request, n, self.endpoint)
        for ahead in (AHEAD, 1):
            if self.free >= cost:
                break
            more = cost * ahead - self.free
            if leases.reserve(budget, self.work.job_id, more):
                self.free += more
        if self.free < cost:
            return None
        self.free -= cost
        return cost

    @property
    def capped(self) -> bool:
        return self.run.budget_id is not None

    def refusal(self) -> CommonplaceError:
        if self.endpoint.input_price is None:
            return no_price(self.endpoint.endpoint)
        return _cost_cap(Budget.objects.get(run=self.run))


def no_price(endpoint: str) -> CommonplaceError:
    return CommonplaceError(
        "run.no_price",
        f"A cost cap needs a price, and endpoint {endpoint} has none. Give it one in "
        "COMMONPLACE_ENDPOINTS, or start without a cap.",
    )


def _cost_cap(budget: Budget) -> CommonplaceError:
    return CommonplaceError(
        "run.cost_cap",
        "The next request could pass the cost cap, so the run has paused; everything so far is "
        "kept. Resume it with a higher cap.",
        cap=budget.cap,
        spent=budget.spent,
    )


def most_it_costs(request: ChatRequest, n: int, endpoint: Target) -> int:
    """Micro-USD of the tokens that are sent and all the tokens `n` replies may have."""
    return endpoint.cost(request.prompt_tokens(), n * (request.max_tokens or 0)) or 0
