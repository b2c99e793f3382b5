"""The charset of a description file: detected from its bytes, and converted to UTF-8."""

from __future__ import annotations

import codecs
import re
from functools import partial
from io import BytesIO
from typing import BinaryIO, cast

from corpus.description_formats.rows import BadRow, Unreadable

UTF8 = "utf-8"
UTF16 = "utf-16"
WINDOWS = "windows-1252"
CHARSETS = {
    UTF8: "UTF-8",
    UTF16: "UTF-16",
    WINDOWS: "Windows-1252 (Latin-1)",
    "windows-1250": "Windows-1250 (Central European)",
    "windows-1251": "Windows-1251 (Cyrillic)",
    "windows-1253": "Windows-1253 (Greek)",
    "windows-1254": "Windows-1254 (Turkish)",
    "gb18030": "GB 18030 (Chinese)",
    "big5": "Big5 (Chinese)",
    "shift_jis": "Shift JIS (Japanese)",
    "euc-kr": "EUC-KR (Korean)",
}
"""Those that can be chosen, with their names for people. The first three are detected."""

BLOCK = 1 << 20
HEAD = 1 << 12
SAMPLE = 1 << 14
"""Bytes of lines with non-ASCII characters from which Windows-1252 is detected."""
_WRONG = "qreels.not-in-charset"
_OTHER_LINES = re.compile(rb"[^\n]{0,200}[\x80-\xff][^\n]{0,200}")
_OTHER_SIGNS = re.compile("[^\x00-\x7f\udc80-\udcff]")
_ESCAPED = re.compile("[\udc80-\udcff]")


def _mark_wrong(error: UnicodeError) -> tuple[str, int]:
    """What can't be decoded becomes the byte 0xFF, which is no UTF-8: the readers then name its row."""
    return "\udcff", cast(UnicodeDecodeError, error).end


codecs.register_error(_WRONG, _mark_wrong)


class AsUtf8:
    """A file of another charset, or of lines that end with CR alone, as bytes of UTF-8 with LF. It can be rewound."""

    def __init__(self, file: BinaryIO, charset: str) -> None:
        self.charset = charset
        self._file = file
        self.seek(0)

    def seek(self, place: int) -> int:
        """Rewind; `place` is 0."""
        if place:
            raise ValueError("only the beginning can be sought")
        self._file.seek(0)
        codec = _byte_order(self._file) if self.charset == UTF16 else self.charset
        self._decoder = codecs.getincrementaldecoder(codec)(errors=_WRONG)
        self._left = bytearray()
        self._ended = False
        self._ends_with_cr = ends_with_cr(self._file)
        return 0

    def read(self, size: int) -> bytes:
        """At most so many bytes; fewer only at the end."""
        while len(self._left) < size and self._fill():
            pass
        return self._take(size)

    def readline(self, limit: int) -> bytes:
        """The next line with its end, or as much of it as the limit lets through."""
        while True:
            end = self._left.find(b"\n", 0, limit) + 1
            if end or len(self._left) >= limit:
                return self._take(end or limit)
            if not self._fill():
                return self._take(limit)

    def _take(self, size: int) -> bytes:
        taken = bytes(self._left[:size])
        del self._left[:size]
        return taken

    def _fill(self) -> bool:
        if self._ended:
            return False
        raw = self._file.read(BLOCK)
        self._ended = not raw
        text = self._decoder.decode(raw, final=self._ended)
        self._left += (text.replace("\r", "\n") if self._ends_with_cr else text).encode("utf-8", "surrogateescape")
        return True


def in_utf8(file: BinaryIO, charset: str) -> BinaryIO:
    """The file at its beginning, as UTF-8, with lines that LF ends."""
    file.seek(0)
    return file if charset == UTF8 and not ends_with_cr(file) else cast(BinaryIO, AsUtf8(file, charset))


def ends_with_cr(file: BinaryIO) -> bool:
    """Whether lines end with CR alone, judged by the first megabyte; the position in the file stays."""
    place = file.tell()
    file.seek(0)
    head = file.read(BLOCK)
    file.seek(place)
    return b"\r" in head and b"\n" not in head


def not_in_charset(file: object, found: bytes, where: str = "", *, byte: int = 0) -> BadRow:
    """The fault of bytes that aren't of their file's charset; `byte` is their place in a line of UTF-8, from 1."""
    if isinstance(file, AsUtf8):
        return BadRow.saying("encoding", "bytes without a meaning", f"{CHARSETS[file.charset]} {where}".strip())
    return BadRow("encoding", found, f"UTF-8 {where or (f'(byte {byte})' if byte else '')}".strip())


def has_utf16(file: BinaryIO) -> bool:
    """Whether a file is UTF-16: by its byte order mark, or by its many NULs at every other place."""
    file.seek(0)
    head = file.read(HEAD)
    file.seek(0)
    if head.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        return True
    even, odd = head[::2].count(0), head[1::2].count(0)
    return max(even, odd) > 2 + len(head) // 5 and min(even, odd) <= len(head) // 50


def _byte_order(file: BinaryIO) -> str:
    file.seek(0)
    head = file.read(HEAD)
    file.seek(0)
    if head.startswith(codecs.BOM_UTF16_BE):
        return "utf-16-be"
    more_first = head[::2].count(0) > head[1::2].count(0)
    return "utf-16-be" if more_first and not head.startswith(codecs.BOM_UTF16_LE) else "utf-16-le"


def charset_of_text(file: BinaryIO) -> str:
    """UTF-8 or Windows-1252, by all of a file; it is rewound.

    A file with a valid multi-byte character is UTF-8, however many of its rows aren't: those are reported. Otherwise it
    is Windows-1252 if it reads sensibly as that.

    Raises: Unreadable, which a choice of the charset settles, where it doesn't.
    """
    file.seek(0)
    decoder = codecs.getincrementaldecoder(UTF8)()
    try:
        while raw := file.read(BLOCK):
            decoder.decode(raw)
        decoder.decode(b"", final=True)
    except UnicodeDecodeError:
        return _legacy_charset(file)
    finally:
        file.seek(0)
    return UTF8


def _legacy_charset(file: BinaryIO) -> str:
    from charset_normalizer import from_bytes

    file.seek(0)
    good = broken = 0
    sample = bytearray()
    first: tuple[int, bytes] | None = None
    for number, raw in enumerate(iter(partial(file.readline, BLOCK), b""), start=1):
        if raw.isascii():
            continue
        text = raw.decode(UTF8, errors="surrogateescape")
        good += len(_OTHER_SIGNS.findall(text))
        if escaped := _ESCAPED.findall(text):
            broken += len(escaped)
            first = first or (number, raw)
        if len(sample) < SAMPLE:
            sample += b"\n".join(_OTHER_LINES.findall(raw)) + b"\n"
    if good > broken:
        return UTF8
    if from_bytes(bytes(sample[:SAMPLE]), cp_isolation=["cp1252"]).best() is not None:
        # Never Windows-1252 beside good UTF-8, of which it would make "ZoÃ«" in silence.
        return UTF8 if good else WINDOWS
    line, raw_line = first or (1, b"")
    expected = "UTF-8, UTF-16 or Windows-1252; another charset has to be chosen"
    raise Unreadable(line, BadRow("encoding", raw_line.strip()[:60], expected).settled_by("charset"))


def whole_text(content: bytes) -> str:
    """The text of a small file in any detected charset, line ends included.

    Raises: Unreadable naming the first line that isn't of it.
    """
    file = BytesIO(content)
    read = in_utf8(file, UTF16 if has_utf16(file) else charset_of_text(file))
    raw = b"".join(iter(partial(read.read, BLOCK), b""))
    try:
        return raw.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        begin = raw.rfind(b"\n", 0, error.start) + 1
        fault = not_in_charset(read, raw[error.start : error.start + 1], byte=error.start - begin + 1)
        raise Unreadable(raw.count(b"\n", 0, error.start) + 1, fault) from error
