"""Whatever players, moderators and the clock do, in any order and at any time: the game holds."""

from contextlib import suppress

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from core.errors import CommonplaceError
from games.machine import CLOCK, By, Phase, State
from games.machine.commands import (
    EVERY,
    Appeal,
    Clue,
    Confirm,
    Drop,
    End,
    Finish,
    Guess,
    Halt,
    Here,
    Judge,
    Leave,
    Meant,
    Next,
    NoMore,
    Propose,
    Rate,
    Ready,
    Resume,
    Rule,
    Shared,
    Strike,
    Tick,
    Verify,
    Vet,
    Warn,
    Who,
)
from games.machine.state import TURNING
from games.rules import OnDrop, Rules
from tests.games.table import NAMES, Table

ACTORS = [By(who, seat) for who in Who for seat in (None, 0, 1)]
NEAR = Guess(" ".join(NAMES))  # it holds the name, and more
LIKELY = {
    Phase.GATHERING: [Ready()],
    Phase.CLUE: [Clue("It is carried home at dusk"), Clue("Children wait for it"), NoMore(),
                 Clue("It is only seen in winter"), Clue("bread herring night blessing boat horn "
                 "table song candle feather"), Appeal(1)],
    Phase.GUESS: [Guess("A kite"), Next(), Next(), NEAR, NEAR, *map(Guess, NAMES)],
    Phase.CONFIRM: [Confirm(meant) for meant in Meant],
    Phase.RATE: [Rate(1, 5)],
    Phase.AFTER: [Propose("Smoke bell", "It is rung in fog"), Verify(1, True), Finish()],
}  # fmt: skip

small = st.integers(0, 3)
numbers = st.integers(-1, 12)
texts = st.sampled_from(
    ["", "  ", "🪔", "\u200b", "a\x00b", "x" * 301, "It is red", "Lantern bread", "lantern"]
)
commands = {
    Ready: st.just(Ready()),
    Clue: st.builds(Clue, texts),
    NoMore: st.just(NoMore()),
    Guess: st.builds(Guess, texts),
    Next: st.just(Next()),
    Confirm: st.builds(Confirm, st.sampled_from(Meant)),
    Rate: st.builds(Rate, numbers, numbers),
    Appeal: st.builds(Appeal, small),
    Vet: st.builds(Vet, numbers, st.booleans(), st.sampled_from(Shared)),
    Propose: st.builds(Propose, texts, texts),
    Verify: st.builds(Verify, small, st.booleans()),
    Finish: st.just(Finish()),
    Here: st.just(Here()),
    Leave: st.builds(Leave, st.sampled_from(["left", "removed", "Because I am tired", ""])),
    Drop: st.just(Drop()),
    Tick: st.just(Tick()),
    Halt: st.just(Halt()),
    Resume: st.just(Resume()),
    End: st.builds(End, st.sampled_from(["moderator", "", "It was enough"])),
    Warn: st.builds(Warn, texts),
    Strike: st.builds(Strike, small, st.sampled_from(["clue", "guess", "what"]), small),
    Rule: st.builds(Rule, small, small, st.booleans()),
    Judge: st.builds(Judge, small, small, st.booleans()),
}
any_command = st.sampled_from(EVERY).flatmap(commands.__getitem__)
rules = st.builds(
    Rules,
    on_drop=st.sampled_from(OnDrop),
    clues=st.integers(1, 5),
    guesses=st.integers(1, 3),
    grace_seconds=st.sampled_from([10, 60, 600]),
    play_seconds=st.sampled_from([120, 75 * 60]),
    wait_seconds=st.sampled_from([30, 600]),
)
decks = st.sampled_from(
    [((), ()), ((1,), ()), ((), (1, 2)), ((1,), (2,)), ((1, 2, 3), (4, 5)), ((1, 2), (3, 4, 5, 6))]
)
tables = st.builds(
    Table,
    rules=rules,
    decks=decks,
    players=st.sampled_from([("human", "human")] * 4 + [("human", "recorded"), ("bot", "human")]),
    recorded=st.sampled_from([(), (7,), (8, 9)]),
)


def step(table, draw):
    """Something happens: mostly what belongs to the phase, sometimes what does not, or time."""
    chance = draw(st.integers(0, 19))
    if chance < 11 and table.state.phase in LIKELY:
        command = draw(st.sampled_from(LIKELY[table.state.phase]))
        by = By(Who.PLAYER, draw(st.integers(0, 1)))
    elif chance < 14:
        table.now += draw(st.sampled_from([0, 1, 900, 30_000, 61_000, 700_000]))
        if table.state.due is not None and table.state.due <= table.now:
            table.do(CLOCK, Tick())
        return
    else:
        command, by = draw(any_command), draw(st.sampled_from(ACTORS))
        if isinstance(command, End) and draw(st.integers(0, 4)):
            return
    with suppress(CommonplaceError):  # refused; anything else that is raised is a fault
        table.do(by, command)


def hold(table):
    state, rules = table.state, table.rules
    ended = state.phase is Phase.ENDED
    assert (state.due is None) is ended
    assert bool(state.reason) is ended
    assert (state.phase is Phase.PAUSED) is (state.held is not None)
    assert state.held in (None, *TURNING)
    assert state.halted <= (state.phase is Phase.PAUSED)
    assert not set(state.decks[0]) & set(state.decks[1])
    assert not set(table.played) & {each for deck in state.decks for each in deck}
    assert len(table.played) == len(set(table.played))
    if state.phase in TURNING:
        assert not any(state.away), "who is away is waited for"
    turn = state.turn
    if turn:
        assert turn.spent <= rules.clues
        assert turn.guesses <= rules.guesses
        assert set(turn.said) <= set(range(1, turn.written + 1))
        assert not set(turn.said) & set(turn.blocked)
        assert (turn.near > 0) is (state.doing is Phase.CONFIRM)
    if state.phase is Phase.PAUSED:
        assert state.left >= 0


@settings(max_examples=150, deadline=None, suppress_health_check=list(HealthCheck))
@given(tables, st.data())
def test_the_game_holds_whatever_happens_and_ends_by_the_clock_alone(table, data):
    for _step in range(data.draw(st.integers(0, 60))):
        step(table, data.draw)
        hold(table)
    if table.state.phase is not Phase.ENDED:
        table.run_out()
        hold(table)


@settings(max_examples=60, deadline=None, suppress_health_check=list(HealthCheck))
@given(tables, st.data())
def test_every_command_of_everybody_is_followed_or_refused_in_every_state(table, data):
    for _step in range(data.draw(st.integers(0, 40))):
        step(table, data.draw)
    for kind in EVERY:
        for by in ACTORS:
            command = data.draw(commands[kind])
            before = table.state
            with suppress(CommonplaceError):
                _try(table, by, command)
            assert table.state == before


def _try(table, by, command):
    """Without taking what follows."""
    copy = Table(rules=table.rules, decks=table.decks, players=table.players)
    copy.now, copy.state, copy.events = table.now, table.state, list(table.events)
    copy.said, copy.verdicts = dict(table.said), dict(table.verdicts)
    copy.played, copy.recorded = list(table.played), table.recorded
    copy.do(by, command)
    hold(copy)


@given(st.sampled_from(Phase))
def test_a_fresh_state_survives_being_stored(phase):
    state = State(phase=phase)
    assert State.from_json(state.as_json()) == state
