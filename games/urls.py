"""Addresses of the game."""

from django.urls import path

from games.views import playing, results, reviewing, rules, watching

app_name = "games"
_games = "studies/<slug:study>/games/"
_review = f"{_games}review/"

urlpatterns = [
    path("studies/<slug:study>/game/", rules.rules, name="rules"),
    path("studies/<slug:study>/game/<slug:activity>/", rules.rules, name="rules_of"),
    path("p/<str:token>/game/", playing.play, name="play"),
    path("p/<str:token>/game/here/", playing.here, name="here"),
    path(_games, watching.watch, name="watch"),
    path(f"{_games}now/", watching.watch_part, name="watch_part"),
    path(f"{_games}of/<slug:code>/", watching.game, name="watch_game"),
    path(f"{_games}of/<slug:code>/now/", watching.game_part, name="watch_game_part"),
    path(f"{_games}of/<slug:code>/act/", watching.act, name="watch_act"),
    path(f"{_games}proposals/", watching.proposals, name="proposals"),
    path(f"{_games}proposals/decide/", watching.propose, name="propose"),
    path(_review, reviewing.queue, name="review"),
    path(f"{_review}accept/", reviewing.accept_many, name="review_accept_many"),
    path(f"{_review}of/<slug:code>/", reviewing.one, name="review_one"),
    path(f"{_review}of/<slug:code>/include/", reviewing.include, name="review_include"),
    *(
        path(
            f"{_review}of/<slug:code>/{decision}/",
            reviewing.decide,
            {"decision": decision},
            name=f"review_{decision}",
        )
        for decision in ("accept", "reject", "pay")
    ),
    path(f"{_games}transcripts/", results.transcripts, name="transcripts"),
    path(f"{_games}results/", results.results, name="results"),
    path(f"{_games}results/artifacts/", results.artifacts, name="results_artifacts"),
    path(f"{_games}files/<slug:table>.<str:format>", results.file, name="results_file"),
]
