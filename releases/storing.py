"""The parts of releases in private storage, each under the hash of its bytes."""

from django.core.files.base import ContentFile
from django.core.files.storage import Storage, storages

from core.errors import CommonplaceError
from releases import canonical
from releases.models import Part


def write(data: bytes) -> str:
    """Keep bytes under their hash and return it; bytes already there are left as they are."""
    sha256 = canonical.sha256(data)
    store, name = _store(), _name(sha256)
    if store.exists(name):
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


def _store() -> Storage:
    return storages["private"]


def _name(sha256: str) -> str:
    return f"parts/{sha256[:2]}/{sha256}.jsonl"


def _read(store: Storage, name: str) -> bytes:
    with store.open(name) as file:
        return file.read()
