"""The parts of releases in private storage, each under the hash of its bytes."""

import os
from collections.abc import Iterator
from contextlib import suppress
from datetime import datetime

from django.conf import settings
from django.core.files.base import ContentFile
from django.core.files.storage import Storage, storages

from core import clock
from core.errors import CommonplaceError
from releases import canonical
from releases.models import Part

_FOLDER = "parts"


def write(data: bytes) -> str:
    """Keep bytes under their hash and return it; bytes already there stay, and are young again, so
    that `remove_unused` leaves them to the release that is being made."""
    sha256 = canonical.sha256(data)
    store, name = _store(), _name(sha256)
    if store.exists(name):
        with suppress(FileNotFoundError):  # it was removed since we looked
            os.utime(store.path(name))
            if _read(store, name) == data:
                return sha256
        store.delete(name)  # a crash while writing, or damage: these bytes are the right ones
    saved = store.save(name, ContentFile(data))
    if saved != name:  # another process wrote the same bytes in the meantime
        store.delete(saved)
    return sha256


def read(part: Part) -> bytes:
    """The bytes of a part, checked against its hash.

    Raises `release.part_purged` (410, names the successor) and `release.bytes_changed`.
    """
    label = part.release.label
    if part.purged_at:
        successor = part.release.superseded_by
        raise CommonplaceError(
            "release.part_purged",
            f"{part} of {label} held the words of someone who withdrew and was erased. "
            + (f"Use {successor.label} instead." if successor else "Nothing replaces it yet."),
            http_status=410,
            release=label,
            part=part.name,
            successor=successor.label if successor else None,
        )
    store, name = _store(), _name(part.sha256)
    data = _read(store, name) if store.exists(name) else b""
    if canonical.sha256(data) != part.sha256:
        raise CommonplaceError(
            "release.bytes_changed",
            f"The stored file of {part} of {label} is missing or no longer the one that was "
            "frozen. Nothing was changed; restore the private folder from a backup.",
            http_status=500,
            release=label,
            part=part.name,
            sha256=part.sha256,
        )
    return data


def erase(sha256: str) -> None:
    """Delete bytes that no part holds, or only parts that are marked as purged; again does
    nothing."""
    if not Part.objects.filter(sha256=sha256, purged_at=None).exists():
        _store().delete(_name(sha256))


def remove_unused() -> int:
    """A duty: delete files that no part holds, which a worker left that died while it froze; how
    many. One that was written within `UNUSED_PARTS_KEPT` may belong to a freezing that goes on."""
    store, before = _store(), clock.ago(settings.UNUSED_PARTS_KEPT)
    return sum(_remove(store, name, before) for name in _unused(store))


def _unused(store: Storage) -> Iterator[str]:
    """Files in use by no part that is not purged, a folder and a query at a time."""
    for folder in store.listdir(_FOLDER)[0] if store.exists(_FOLDER) else ():
        files = {file.partition(".")[0]: file for file in store.listdir(f"{_FOLDER}/{folder}")[1]}
        used = Part.objects.filter(sha256__in=list(files), purged_at=None)
        for sha256 in files.keys() - set(used.values_list("sha256", flat=True)):
            yield f"{_FOLDER}/{folder}/{files[sha256]}"


def _remove(store: Storage, name: str, before: datetime) -> bool:
    """Its age is looked at last: whoever froze these bytes since has made it young."""
    try:
        if store.get_modified_time(name) >= before:
            return False
    except FileNotFoundError:  # another worker was first
        return False
    store.delete(name)
    return True


def _store() -> Storage:
    return storages["private"]


def _name(sha256: str) -> str:
    return f"{_FOLDER}/{sha256[:2]}/{sha256}.jsonl"


def _read(store: Storage, name: str) -> bytes:
    with store.open(name) as file:
        return file.read()
