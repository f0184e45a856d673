"""How a process speaks to its sockets (`core.layers`)."""

import asyncio
import threading

import pytest
from channels.layers import channel_layers

from core import layers
from core.layers import InProcessLayer

GROUPS = 500


@pytest.fixture
def layer():
    layer = InProcessLayer()
    before = channel_layers.set("default", layer)
    yield layer
    channel_layers.set("default", before)


def test_five_hundred_groups_are_told_without_a_look_through_all_channels_each_time():
    """The stock layer goes over every channel and group for each message and each reader."""
    visited = 0

    class Channels(dict):
        def items(self):
            nonlocal visited
            visited += len(self)
            return super().items()

    async def talk():
        layer = InProcessLayer()
        layer.channels = Channels()
        names = [await layer.new_channel() for _group in range(GROUPS)]
        for number, name in enumerate(names):
            await layer.group_add(f"g{number}", name)
            await layer.group_send(f"g{number}", {"type": "told", "number": number})
        return [await layer.receive(name) for name in names]

    heard = asyncio.run(talk())
    assert [message["number"] for message in heard] == list(range(GROUPS))
    assert visited <= 5 * GROUPS  # some looks, where a slow machine took seconds; not a thousand


def test_what_has_expired_is_still_swept_away(monkeypatch):
    monkeypatch.setattr(layers, "SWEEP_EVERY", 0)

    async def talk():
        layer = InProcessLayer(expiry=-1)
        name = await layer.new_channel()
        await layer.group_add("g", name)
        await layer.group_send("g", {"type": "told"})
        await layer.group_send("g", {"type": "told"})
        return layer.groups["g"]

    assert asyncio.run(talk()) == {}


def test_a_thread_tells_a_socket_of_the_loop(layer):
    async def talk():
        layers.live_in(asyncio.get_running_loop())
        try:
            name = await layer.new_channel()
            await layer.group_add("g", name)
            message = {"g": {"type": "told"}, "nobody": {"type": "told"}}
            threading.Thread(target=layers.tell, args=(message,)).start()
            return await asyncio.wait_for(layer.receive(name), 10)
        finally:
            layers.live_in(None)

    assert asyncio.run(talk()) == {"type": "told"}


def test_a_process_without_sockets_tells_nobody(layer):
    assert not layers.live()
    layers.tell({"g": {"type": "told"}})
    assert layer.channels == {}
