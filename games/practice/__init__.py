"""A practice round: the rules of the real game, with a partner who follows a script.

Nothing is stored, and nobody waits for anybody: what has happened so far travels in a signed field
of the page. The scripts are `<language>.yaml` beside this file.
"""

from games.practice.rounds import FIELD, Round, drawn, follow

__all__ = ["FIELD", "Round", "drawn", "follow"]
