from functools import partial

from django.apps import AppConfig


class GamesConfig(AppConfig):
    name = "games"

    def ready(self) -> None:
        from games import rules_file
        from games.activity import GAME
        from games.selectors import reviewing, watching
        from games.services import ruling, withdrawing
        from studies import kinds, steps, study_file, withdrawal
        from studies.permissions import Capability
        from studies.setup import ActivityKind

        kinds.register(ActivityKind.GAME, GAME)
        study_file.register_section("game", rules_file.parse, ruling.load_rules)
        withdrawal.register("games", withdrawing.forget)
        waits = steps.Waits(lambda studies, _user: watching.waiting(studies), "the team")
        rooms = partial(steps.register, "collect", kind=ActivityKind.GAME)
        rooms("Games", "games:watch", Capability.MODERATE, waits)
        played = steps.Waits(lambda studies, _user: reviewing.waiting(studies), "review")
        rooms("Review of games", "games:review", Capability.REVIEW, played)
        rooms("Game results", "games:results", Capability.MONITOR)
