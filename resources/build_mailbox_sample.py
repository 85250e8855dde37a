"""Write the sample of a folder of mail: the invented mails of ``mail-sample.jsonl.gz`` as mail programs have them.

python resources/build_mailbox_sample.py
"""

import gzip
import json
from datetime import UTC, datetime, timedelta
from email import policy
from email.message import EmailMessage
from email.utils import format_datetime
from html import escape

from build_mail_sample import SAMPLE

TARGET = SAMPLE.with_name("mailbox-sample.mbox")
MAILS = 24
FIRST = datetime(2016, 11, 14, 8, 12, tzinfo=UTC)


def mails() -> list[EmailMessage]:
    """Make plain mails, mails with text and HTML, HTML only, with a file, and forwarded ones, in turn."""
    with gzip.open(SAMPLE, "rt", encoding="utf-8") as stream:
        texts = [json.loads(line)["text"] for line, _ in zip(stream, range(MAILS), strict=False)]
    made: list[EmailMessage] = []
    for number, text in enumerate(texts):
        made.append(_mail(number, text, made))
    return made


def _mail(number: int, text: str, before: list[EmailMessage]) -> EmailMessage:
    first, _, body = text.partition("\n\n")
    name = body.rstrip().rpartition("\n")[2]
    message = EmailMessage(policy=policy.SMTP.clone(linesep="\n"))
    message["From"] = f"{name} <{first.removeprefix('From: ').strip()}>"
    message["To"] = "Surgery <surgery@example.org>"
    message["Date"] = format_datetime(FIRST + timedelta(hours=7 * number))
    message["Subject"] = ("Appointment", f"Letter for {name}", "My tablets", "Referral")[number % 4]
    message["Message-ID"] = f"<{number + 1:04}@mail.example.org>"
    kind = number % 5
    if kind == 2:
        message.set_content(_html(body), subtype="html", cte="quoted-printable")
        return message
    message.set_content(body, cte="base64" if kind == 3 else "7bit")
    if kind == 1:
        message.add_alternative(_html(body), subtype="html")
    elif kind == 3:
        message.add_attachment(b"%PDF-1.4 invented", maintype="application", subtype="pdf", filename="letter.pdf")
    elif kind == 4:
        message.add_attachment(before[number - 4])
    _set_boundaries(message, f"part-{number + 1:04}")
    return message


def _set_boundaries(message: EmailMessage, boundary: str) -> None:
    """Name boundaries by the mail, so that equal runs give equal files."""
    for depth, part in enumerate(part for part in message.walk() if part.is_multipart()):
        if part.get_content_maintype() == "multipart" and part.get_boundary() is None:
            part.set_boundary(f"{boundary}-{depth}")


def _html(body: str) -> str:
    paragraphs = "".join(f"<p>{escape(each).replace(chr(10), '<br>')}</p>\n" for each in body.strip().split("\n\n"))
    return f"<html><head><title>mail</title></head><body>\n{paragraphs}</body></html>\n"


def main() -> None:
    """Write the folder, each mail after a line with its sender and time."""
    lines = []
    for number, message in enumerate(mails()):
        moment = (FIRST + timedelta(hours=7 * number)).strftime("%a %b %e %H:%M:%S %Y")
        body = message.as_bytes().replace(b"\nFrom ", b"\n>From ")
        lines.append(b"From surgery@example.org " + moment.encode() + b"\n" + body.rstrip(b"\n") + b"\n\n")
    TARGET.write_bytes(b"".join(lines))


if __name__ == "__main__":
    main()
