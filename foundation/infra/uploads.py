"""Uploads on a full disk: refused with a message on the page, not with a server error."""

from typing import Any

from django.contrib import messages
from django.core.files.uploadhandler import StopUpload, TemporaryFileUploadHandler
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.utils.http import url_has_allowed_host_and_scheme

from foundation.infra.storage import NO_SPACE, SPACE_NEEDED


class UploadToDisk(TemporaryFileUploadHandler):
    """Django's handler of large uploads; on a full disk the request goes on without the file."""

    def receive_data_chunk(self, raw_data: bytes, start: int) -> None:
        try:
            super().receive_data_chunk(raw_data, start)
        except OSError as error:
            self._give_up(error)

    def file_complete(self, file_size: int) -> Any:
        try:
            return super().file_complete(file_size)  # what was buffered is written here
        except OSError as error:
            self._give_up(error)

    def _give_up(self, error: OSError) -> None:
        if error.errno not in NO_SPACE:
            raise error
        self.request.had_no_space = True  # type: ignore[union-attr]  # `refuse_without_space` reads it
        raise StopUpload(connection_reset=False) from error


def refuse_without_space(request: HttpRequest) -> HttpResponse | None:
    """A redirect back with the reason if an upload couldn't be written; None otherwise."""
    if not getattr(request, "had_no_space", False):
        return None
    messages.error(request, SPACE_NEEDED)
    back = request.headers.get("Referer", "")
    here = url_has_allowed_host_and_scheme(back, allowed_hosts={request.get_host()})
    return redirect(back if here else "home")
