"""Every write of games, by subject.

`moves.move` follows a participant's command with all that comes of it; `lobby` is for who has no
partner, `presence` for who is there, `rounds` for what time does, `endings` and `departures` for
what the end of one thing means for another, `playing` for one game and nothing beside it.

Lock order: study, participation, then a game's row, its seats and tickets.
"""
