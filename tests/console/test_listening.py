"""Web processes that listen at one place each get their share of who comes."""

import multiprocessing
import os
import pickle
import socket
import sys

import pytest

from console.listening import OneEach

COMERS = 60


def serve(place, ready):
    place.listen(COMERS)
    ready.set()
    while True:
        with place.accept()[0] as comer:
            comer.sendall(str(os.getpid()).encode())


@pytest.mark.skipif(sys.platform != "linux", reason="processes share one socket there")
def test_who_comes_is_dealt_out_evenly_and_who_is_left_gets_all():
    place = OneEach.instead_of(socket.create_server(("127.0.0.1", 0)))
    address = place.getsockname()
    spawn = multiprocessing.get_context("spawn")
    processes = []
    try:
        for _each in range(2):
            ready = spawn.Event()
            processes.append(spawn.Process(target=serve, args=(place, ready), daemon=True))
            processes[-1].start()
            assert ready.wait(30)
        met = [met_at(address) for _comer in range(COMERS)]
        assert {met.count(each.pid) > COMERS / 10 for each in processes} == {True}
        processes[0].kill()
        processes[0].join()
        assert {met_at(address) for _comer in range(COMERS)} == {processes[1].pid}
    finally:
        for each in processes:
            each.kill()
        place.close()


def met_at(address):
    with socket.create_connection(address, timeout=10) as comer:
        return int(comer.recv(20))


def test_a_place_is_opened_anew_by_whoever_it_is_handed_to():
    with (
        OneEach.at(socket.AF_INET, "127.0.0.1", 0) as place,
        pickle.loads(pickle.dumps(place)) as other,
    ):
        assert other.getsockname() == place.getsockname()
        assert other.fileno() != place.fileno()
