"""Errors are objects: a code, a sentence that says what to do, and data.

Programs and tests read the code; people read the sentence. Every door (page, command,
job) knows how to show a `CommonplaceError`; anything else that escapes is a bug.
"""

from typing import Any


class CommonplaceError(Exception):
    """A refusal or failure the product foresaw.

    `code` is dotted and stable (`release.name_taken`); `message` is one or two sentences in
    plain words that end with the next step; `data` holds JSON values for programs.
    """

    def __init__(self, code: str, message: str, *, http_status: int = 400, **data: Any) -> None:
        super().__init__(message)
        self.code = code
        self.message = message
        self.http_status = http_status
        self.data = data

    def __str__(self) -> str:
        return f"{self.code}: {self.message}"

    def as_dict(self) -> dict[str, Any]:
        return {"code": self.code, "message": self.message, "data": self.data}


class NotFound(CommonplaceError):
    """The thing named does not exist, or the reader may not know that it does."""

    def __init__(self, code: str, message: str, **data: Any) -> None:
        super().__init__(code, message, http_status=404, **data)
