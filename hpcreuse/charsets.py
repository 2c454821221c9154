"""Character sets as browsers read them: the codec that a name stands for, and that of bytes without a name."""

import codecs
from functools import cache

# The names browsers know (WHATWG Encoding), as Python's codecs; a page must not choose any other codec
CODECS = frozenset(
    """utf-8 cp866 iso8859-2 iso8859-3 iso8859-4 iso8859-5 iso8859-6 iso8859-7 iso8859-8 iso8859-10 iso8859-13
    iso8859-14 iso8859-15 iso8859-16 koi8-r koi8-u mac-roman cp874 cp1250 cp1251 cp1252 cp1253 cp1254 cp1255
    cp1256 cp1257 cp1258 mac-cyrillic gb18030 big5hkscs euc_jp iso2022_jp cp932 cp949 utf-16 utf-16-le
    utf-16-be""".split()
)

# Browsers read these names as a larger relative; a meta tag that can be read does not stand in UTF-16
RELATIVES = {
    "ascii": "cp1252",
    "iso8859-1": "cp1252",
    "iso8859-9": "cp1254",
    "iso8859-11": "cp874",
    "tis-620": "cp874",
    "gb2312": "gb18030",
    "gbk": "gb18030",
    "big5": "big5hkscs",
    "shift_jis": "cp932",
    "euc_kr": "cp949",
}


# Of these Python leaves bytes out that browsers read
WINDOWS = frozenset({"cp874", *(name for name in CODECS if name.startswith("cp125"))})


@cache
def known_codec(label: bytes) -> str | None:
    """Give the codec of a name, if browsers know it."""
    try:
        name = codecs.lookup(label.decode()).name
    except (LookupError, ValueError):
        return None
    name = RELATIVES.get(name, name)
    return name if name in CODECS else None


def decode(content: bytes, codec: str) -> str:
    """Decode bytes, without a byte order mark; what does not fit becomes the replacement character."""
    if codec in WINDOWS:
        return codecs.charmap_decode(content, "replace", _table(codec))[0]
    return content.decode(codec, "replace").removeprefix("\ufeff")


@cache
def _table(codec: str) -> str:
    """Give the characters of the 256 bytes: a control character where Windows has none (WHATWG Encoding, 9.1)."""
    return "".join(
        chr(byte) if 0x80 <= byte < 0xA0 and character == "\ufffd" else character
        for byte in range(256)
        for character in bytes([byte]).decode(codec, "replace")
    )


def is_utf8(payload: bytes) -> bool:
    """Tell whether bytes are valid UTF-8; text of other encodings hardly ever is."""
    try:
        payload.decode()
    except UnicodeDecodeError:
        return False
    return True


def guessed_codec(content: bytes) -> str:
    """Give the codec of bytes that nobody named one for."""
    return "utf-8" if is_utf8(content) else "cp1252"
