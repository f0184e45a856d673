"""Folders of artifacts, made to measure."""

import io
import zipfile

import pytest

from core.errors import CommonplaceError

HEAD = "artifact,clues\n"


@pytest.fixture
def made(tmp_path):
    """Makes a folder of files by their paths; texts are written as UTF-8."""

    def made(files):
        root = tmp_path / "made"
        for name, content in files.items():
            path = root / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(content.encode() if isinstance(content, str) else content)
        return root

    return made


def zipped(root):
    data = io.BytesIO()
    with zipfile.ZipFile(data, "w") as archive:
        for path in sorted(root.rglob("*")):
            archive.write(path, path.relative_to(root.parent))
    return data.getvalue()


def code_of(call, *given):
    with pytest.raises(CommonplaceError) as refused:
        call(*given)
    return refused.value.code
