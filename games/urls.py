"""Addresses of the game."""

from django.urls import path

from games.views import playing, results, rules, watching

app_name = "games"
_games = "studies/<slug:study>/games/"

urlpatterns = [
    path("studies/<slug:study>/game/", rules.rules, name="rules"),
    path("studies/<slug:study>/game/<slug:activity>/", rules.rules, name="rules_of"),
    path("p/<str:token>/game/", playing.play, name="play"),
    path(_games, watching.watch, name="watch"),
    path(f"{_games}now/", watching.watch_part, name="watch_part"),
    path(f"{_games}of/<slug:code>/", watching.game, name="watch_game"),
    path(f"{_games}of/<slug:code>/now/", watching.game_part, name="watch_game_part"),
    path(f"{_games}of/<slug:code>/act/", watching.act, name="watch_act"),
    path(f"{_games}proposals/", watching.proposals, name="proposals"),
    path(f"{_games}proposals/decide/", watching.propose, name="propose"),
    path(f"{_games}transcripts/", results.transcripts, name="transcripts"),
    path(f"{_games}results/", results.results, name="results"),
    path(f"{_games}results/artifacts/", results.artifacts, name="results_artifacts"),
    path(f"{_games}files/<slug:table>.<str:format>", results.file, name="results_file"),
]
