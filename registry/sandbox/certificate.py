"""A certificate for this machine, made when the sandbox starts to speak TLS and good for a week.

The standard library can use certificates and not make them: the `openssl` program makes this one. The key is in a folder that
only the user can read, and is taken away as soon as it is in use; the certificate stays for clients to trust, until the end.
"""

import shutil
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from ipaddress import ip_address
from pathlib import Path
from tempfile import TemporaryDirectory

_LONGEST = 20
"""Seconds that making it may take."""


class NoCertificate(RuntimeError):
    """None can be made; the text says why, and what to do."""


@contextmanager
def certificate(host: str = "") -> Iterator[tuple[Path, Path]]:
    """A certificate that is its own authority, and its key: two files in PEM.

    It is for ``127.0.0.1`` and ``localhost``, and for a host of that name or address.

    Raises:
        NoCertificate: there is no `openssl`, or it did not make one.
    """
    program = shutil.which("openssl")
    if program is None:
        raise NoCertificate(
            "the openssl program makes the certificate and is not installed; install it, or serve without --tls"
        )
    with TemporaryDirectory(prefix="callboard-", ignore_cleanup_errors=True) as folder:
        made = Path(folder) / "certificate.pem", Path(folder) / "key.pem"
        _make(program, *made, host)
        yield made


def _make(program: str, certificate: Path, key: Path, host: str) -> None:
    try:
        also = f",IP:{ip_address(host)}"
    except ValueError:
        also = f",DNS:{host}" if host else ""
    extensions = (
        f"subjectAltName=IP:127.0.0.1,DNS:localhost{also}",
        "keyUsage=critical,digitalSignature,keyCertSign",
        "extendedKeyUsage=serverAuth",
    )
    command = [
        program, "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-days", "7",
        "-subj", "/CN=Callboard sandbox", "-keyout", str(key), "-out", str(certificate),
        *(part for one in extensions for part in ("-addext", one)),
    ]  # fmt: skip
    try:
        ended = subprocess.run(  # noqa: S603  # a program of this machine, with words of this module
            command, stdin=subprocess.DEVNULL, capture_output=True, timeout=_LONGEST, check=False
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        raise NoCertificate(f"openssl did not make a certificate: {error}; serve without --tls") from error
    if ended.returncode:
        said = ended.stderr.decode(errors="replace").strip().splitlines()[-1:] or ["it said nothing"]
        raise NoCertificate(f"openssl did not make a certificate: {said[0]}; serve without --tls")
