"""The broker of an installation without Redis: messages are files in a folder.

The library opens a message's file and fills it afterwards. A worker that takes the file between
the two finds it empty and ends (celery/kombu issue 1551), so here a file appears when it is whole.
"""

import time
from pathlib import Path
from typing import Any
from uuid import uuid4

from kombu.transport import filesystem
from kombu.utils.json import dumps


class Channel(filesystem.Channel):
    def _put(self, queue: Any, payload: Any, **_: Any) -> None:  # type: ignore[override]
        folder = Path(self.data_folder_out)
        name = f"{round(time.monotonic() * 1000)}_{uuid4()}"
        unfinished = folder / f"{name}.part"
        unfinished.write_text(dumps(payload), "utf-8")
        unfinished.rename(folder / f"{name}.{queue}.msg")


class Transport(filesystem.Transport):
    Channel = Channel
