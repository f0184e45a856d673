"""The page of the set-up on which a study chooses the rules of its games."""

from typing import cast

from django.http import HttpRequest, HttpResponse
from django.urls import reverse
from django.views.decorators.http import require_http_methods

from accounts.models import User
from games.rules_form import RulesForm
from games.selectors import plans
from games.services import ruling
from studies import pages, selectors
from studies.permissions import Capability


@require_http_methods(["GET", "HEAD", "POST"])
def rules(request: HttpRequest, study: str, activity: str = "") -> HttpResponse:
    """Of the activity, or of the study's first game."""
    user = cast(User, request.user)
    found = selectors.access_study(user, study, Capability.SET_UP)
    game = plans.access_game(found, activity)
    usual = plans.rules(game)
    form = RulesForm(request.POST or None, study=found, rules=usual, fixed=ruling.FIXED)

    def save() -> str:
        ruling.set_rules(game, form.chosen(), user.get_username())
        return reverse("games:rules_of", args=(study, game.slug))

    if saved := pages.saved(request, form, save, "The rules are saved."):
        return saved
    others = [each for each in plans.games(found) if each != game]
    context = {"form": form, "game": game, "others": others}
    return pages.page(request, "games/rules.html", found, context, "Rules of the game")
