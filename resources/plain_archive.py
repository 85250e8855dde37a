"""Archives that show nothing of who packed them, and when."""

import gzip
import io
import tarfile


def with_one_moment(archive: bytes, moment: int) -> bytes:
    """Return a packed tar archive of the same files, in order of their names, whose times and owners show nothing."""
    made = io.BytesIO()
    with (
        tarfile.open(fileobj=io.BytesIO(archive), mode="r:gz") as given,
        gzip.GzipFile(fileobj=made, mode="wb", mtime=moment, filename="") as packed,
        tarfile.open(fileobj=packed, mode="w", format=tarfile.PAX_FORMAT) as written,
    ):
        for member in sorted(given.getmembers(), key=lambda each: each.name):
            member.mtime, member.uid, member.gid, member.uname, member.gname = moment, 0, 0, "", ""
            member.mode = 0o755 if member.isdir() or member.mode & 0o100 else 0o644
            member.pax_headers = {}
            written.addfile(member, given.extractfile(member) if member.isfile() else None)
    return made.getvalue()
