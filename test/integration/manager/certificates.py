"""Certificates for tests, made by openssl in a folder."""

import pathlib
import shutil
import subprocess

from deployment import skip

CURVE = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes"]


def openssl(*words):
    done = subprocess.run(["openssl", *map(str, words)], capture_output=True, text=True, timeout=60)
    assert done.returncode == 0, f"openssl {' '.join(map(str, words))}: {done.stderr}"


class Authority:
    """Which issues certificates: `pem` is its own."""

    def __init__(self, folder, name):
        if not shutil.which("openssl"):
            skip("openssl is not installed")
        self.folder = pathlib.Path(folder) / name
        self.folder.mkdir()
        self.pem, self.key = self.folder / "ca.pem", self.folder / "ca.key"
        subject = ["-subj", f"/CN={name}", "-days", 2]
        openssl("req", "-x509", *CURVE, "-keyout", self.key, "-out", self.pem, *subject)

    def issue(self, name, hosts="IP:127.0.0.1", usage="serverAuth,clientAuth"):
        """The files of the certificate and its key."""
        cert, key, asked = (self.folder / f"{name}.{end}" for end in ("pem", "key", "csr"))
        openssl("req", *CURVE, "-keyout", key, "-out", asked, "-subj", f"/CN={name}")
        terms = self.folder / f"{name}.terms"
        terms.write_text(f"subjectAltName={hosts}\nextendedKeyUsage={usage}\n")
        by = ["-CA", self.pem, "-CAkey", self.key, "-CAcreateserial", "-extfile", terms, "-days", 2]
        openssl("x509", "-req", "-in", asked, "-out", cert, *by)
        return cert, key
