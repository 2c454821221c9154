"""Mail as input: what a reader sees of a message becomes a page; mbox, folders and tars; hostile messages."""

import io
import mailbox
import tarfile
from email.message import EmailMessage
from pathlib import Path

import pytest
from command import hpcreuse, summary, table
from hypothesis import given
from hypothesis import strategies as st

from hpcreuse.crawl.mail import MailFile, is_mail, read_mail
from hpcreuse.crawl.mime import MOST_DEEP, read_message
from hpcreuse.crawl.pages import Ledger, Limits, Page
from hpcreuse.crawl.partitions import plan
from hpcreuse.crawl.read import read, reread

SPAM = "Cheap watches available immediately, replica timepieces shipped worldwide"


def message(subject: str = "Offer", body: str = SPAM, number: int = 1, charset: str = "utf-8") -> EmailMessage:
    made = EmailMessage()
    made["From"], made["To"], made["Subject"] = "a@example.org", "b@example.org", subject
    made["Message-ID"] = f"<{number}@example.org>"
    made.set_content(body, charset=charset)
    return made


def pages_of(*inputs: Path, ledger: Ledger | None = None, limits: Limits | None = None) -> list[Page]:
    ledger = ledger or Ledger()
    parts = plan([str(path) for path in inputs], None)
    return [page for part in parts for page in read(part, ledger, limits or Limits())]


def write_mbox(path: Path, messages: list[EmailMessage]) -> Path:
    box = mailbox.mbox(path)
    for one in messages:
        box.add(one)
    box.flush()
    return path


def text_of(message: EmailMessage | bytes) -> str:
    return read_message(message if isinstance(message, bytes) else message.as_bytes()).payload.decode()


@pytest.mark.parametrize("charset", ["utf-8", "iso-8859-2", "koi8-r", "gb2312", "iso-2022-jp"])
def test_subject_and_body_come_out_of_any_charset_and_encoding(charset: str) -> None:
    words = {
        "iso-8859-2": "Příliš žluťoučký kůň",
        "koi8-r": "Дешёвые часы",
        "gb2312": "便宜手表",
        "iso-2022-jp": "時計",
    }
    body = words.get(charset, "Größe naïve €")
    assert text_of(message(body, body, charset=charset)) == f"{body}\n{body}\n"
    assert read_message(message(body, body).as_bytes()).message_id == "1@example.org"


def test_the_last_alternative_is_what_a_reader_sees() -> None:
    made = message(body="plain words")
    made.add_alternative("<html><body><b>rich words</b></body></html>", subtype="html")
    made.add_attachment("attached words", filename="notes.txt")
    mail = read_message(made.as_bytes())
    assert mail.content_type.startswith("text/html") and not mail.plain
    assert b"rich words" in mail.payload and b"<p>Offer</p>" in mail.payload
    assert b"plain words" not in mail.payload and b"attached words" not in mail.payload


def test_markup_in_plain_text_beside_html_is_not_taken_for_markup() -> None:
    made = message("a < b & c", "1 <b> 2")
    made.make_mixed()
    html = EmailMessage()
    html.set_content("<i>3</i>", subtype="html")
    made.attach(html)
    assert text_of(made).split("\n", 2)[0] == "<p>a &lt; b &amp; c</p>"
    assert "<pre>1 &lt;b&gt; 2" in text_of(made) and "<i>3</i>" in text_of(made)


def test_a_forwarded_message_is_part_of_the_body() -> None:
    made = message("Fwd", "see below")
    made.make_mixed()
    inner = EmailMessage()
    inner["Content-Type"] = "message/rfc822"
    inner.set_payload([message("Inner subject", "inner body")])
    made.attach(inner)
    assert text_of(made) == "Fwd\nsee below\n\nInner subject\ninner body\n"


def test_broken_mime_gives_what_can_be_read() -> None:
    head = b"From: a\nTo: b\nSubject: s\n"
    unclosed = (
        head + b'Content-Type: multipart/mixed; boundary="x"\n\n--x\n\nfirst\n--x\nContent-Type: text/plain\n\nlast'
    )
    assert text_of(unclosed) == "s\nfirst\nlast"
    assert text_of(head + b"Content-Type: multipart/mixed\n\nno boundary") == "s\nno boundary"
    assert text_of(head + b"Content-Type: nonsense; charset=zlib\n\ntext") == "s\ntext"
    assert text_of(head + b"Content-Transfer-Encoding: base64\n\naGVs!!bG8gd29ybGQ") == "s\nhello world"
    assert text_of(b"Subject: =?utf-8?b?w7?= =?utf-8?b?tg==?= =?x?q?a_b?=") == "\u00f6a b"
    assert text_of(b"") == ""


@given(st.binary(max_size=300))
def test_no_bytes_raise(noise: bytes) -> None:
    read_message(noise)
    read_message(
        b'Content-Type: multipart/mixed; boundary="a"\nSubject: =?' + noise + b"?=\n\n--a\n" + noise + b"\n--a--"
    )


def test_an_mbox_is_cut_as_python_cuts_it(tmp_path: Path) -> None:
    bodies = ["one\n\nFrom here on it is quoted\n>From old\n", "two\n\nFrom me to you\n", "three"]
    path = write_mbox(tmp_path / "in.mbox", [message(f"s{n}", body, n) for n, body in enumerate(bodies)])
    pages = pages_of(path)
    assert [page.url for page in pages] == [f"http://in.mbox/{n}@example.org" for n in range(3)]
    expected = [box.get_payload(decode=True).decode() for box in mailbox.mbox(path)]
    found = [page.payload.decode().partition("\n")[2] for page in pages]
    # Python leaves the quoting of mbox in, and the blank line that ends a message
    assert [text.rstrip() for text in found] == [text.replace("\n>From ", "\nFrom ").rstrip() for text in expected]
    raw = path.read_bytes()
    assert all(raw[page.offset :].startswith(b"From ") for page in pages)
    for page in pages:
        assert reread(page.archive, page.offset, page.url, Limits()) == page


def test_small_pieces_cut_an_mbox_the_same_way(tmp_path: Path) -> None:
    many = [message(f"s{n}", f"body {n}\n" * (n % 7), n) for n in range(60)]
    raw = write_mbox(tmp_path / "in.mbox", many).read_bytes()

    class Slow(io.BytesIO):
        def read(self, size: int | None = -1, /) -> bytes:
            return super().read(97)

    file = MailFile("in", "", "http://in/")
    whole = list(read_mail(io.BytesIO(raw), file, Ledger(), Limits()))
    assert len(whole) == 60 and list(read_mail(Slow(raw), file, Ledger(), Limits())) == whole


def test_folders_and_tars_of_messages_and_of_mboxes(tmp_path: Path) -> None:
    folder = tmp_path / "mail"
    (folder / "cur").mkdir(parents=True)
    (folder / "a.eml").write_bytes(message("A").as_bytes())
    (folder / "cur" / "123.M4:2,S").write_bytes(message("B").as_bytes())
    (folder / "page.html").write_text("<p>From: nobody")
    write_mbox(folder / "Inbox", [message(number=n) for n in (7, 8)])
    with tarfile.open(tmp_path / "mail.tar", "w") as tar:
        tar.add(folder, "m")
    urls = {"a.eml", "cur/123.M4:2,S", "page.html", "Inbox/7@example.org", "Inbox/8@example.org"}
    found = pages_of(folder)
    assert {page.url for page in found} == {f"http://mail/{url}" for url in urls}
    assert {page.url for page in pages_of(tmp_path / "mail.tar")} == {f"http://mail.tar/m/{url}" for url in urls}
    for page in found:
        assert reread(page.archive, page.offset, page.url, Limits()) == page
    # A message that is named on the command line is a file of its folder
    assert [page.url for page in pages_of(folder / "a.eml")] == ["http://mail/a.eml"]


@pytest.mark.parametrize(
    "text",
    [
        b"From my window I see\nnothing: at all\n",
        b"Date: today\nSubject: a diary\n\n",
        b"HTTP/1.1 200 OK\nDate: x\nFrom: y\nMessage-ID: z\n\n",
        b"<p>Received: a\nFrom: b\nTo: c\n",
        b"from: yaml\nto: something\n- subject: else\n",
        b"",
    ],
)
def test_what_only_looks_like_mail_stays_a_page(text: bytes) -> None:
    assert not is_mail(text, "a.txt")


def nested(depth: int) -> bytes:
    lines = [b"From: a\nTo: b\nSubject: nested\nMessage-ID: <x>"]
    lines += [b'Content-Type: multipart/mixed; boundary="b%d"\n\n--b%d' % (n, n) for n in range(depth)]
    return b"\n".join([*lines, b"\ndeep text"])


def test_hostile_messages_are_quarantined_with_their_reason(tmp_path: Path) -> None:
    hostile = {
        "deep.eml": (nested(10_000), f"nested more than {MOST_DEEP}"),
        "parts.eml": (nested(1) + b"\n--b0\n\nx" * 20_000, "more than 10000 parts"),
        "large.eml": (message(body="x" * 70_000).as_bytes(), "over the limit"),
        "huge.eml": (message(body="x " * 800_000).as_bytes(), "over the limit"),
    }
    for name, (content, _) in hostile.items():
        (tmp_path / name).write_bytes(content)
    (tmp_path / "fine.eml").write_bytes(nested(MOST_DEEP))
    ledger = Ledger()
    pages = pages_of(tmp_path, ledger=ledger, limits=Limits(max_payload=1 << 16))
    assert [page.payload for page in pages] == [b"nested\ndeep text"]
    reasons = {Path(entry.archive).name: entry.reason for entry in ledger.quarantined}
    assert set(reasons) == set(hostile)
    for name, (_, reason) in hostile.items():
        assert reason in reasons[name]


def test_a_message_too_large_does_not_take_the_next_with_it(tmp_path: Path) -> None:
    path = write_mbox(tmp_path / "in.mbox", [message(number=1), message(body="x\n" * 4_000_000, number=2), message()])
    ledger = Ledger()
    pages = pages_of(path, ledger=ledger, limits=Limits(max_payload=1 << 20))
    assert len(pages) == 2 and [entry.url for entry in ledger.quarantined] == ["http://in.mbox/2"]
    assert path.read_bytes()[pages[1].offset :].startswith(b"From ")


def test_messages_made_to_keep_a_reader_busy_are_read_in_time() -> None:
    # Anything quadratic in the size would take hours here
    for content in (
        b"Subject: " + b"=?utf-8?b?" * 200_000,
        b"Content-Type: multipart/mixed" + b'; a="\\' * 200_000 + b"\n\n",
        nested(1) + b"\n--b" * 500_000,
        b"X:\n " * 500_000,
        b"From " + b"a" * 2_000_000,
    ):
        is_mail(content)
        read_message(content)


def test_near_duplicates_of_mail_on_the_command_line(tmp_path: Path) -> None:
    box = [message(f"Offer {n}", f"{SPAM} {'zq' * n}", n) for n in range(4)]
    box += [
        message(f"Note {n}", f"The minutes of meeting number {'wx' * n} concern budget planning", 9 + n)
        for n in range(3)
    ]
    path = write_mbox(tmp_path / "in.mbox", box)
    done = summary("hash", path, "--text", "--out", tmp_path / "run")
    assert done["files"] == 7 and not done["quarantined"]
    hpcreuse("imatch", tmp_path / "run", "--out", tmp_path / "near", "--band", "0", "0.9", ranks=3)
    clusters = {
        frozenset(row["url"] for row in table(tmp_path / "near", "clusters") if row["cluster"] == n) for n in (0, 1)
    }
    names = [f"http://in.mbox/{n}@example.org" for n in (0, 1, 2, 3, 9, 10, 11)]
    assert clusters == {frozenset(names[:4]), frozenset(names[4:])}
