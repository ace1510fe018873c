"""Writes wheels with the standard library alone.

As a script: the wheel that carries the static program, as ./dev wheel calls it.

    tpu_admission_wheels.py PROGRAM LICENCES ARCH FOLDER

As a build backend (PEP 517) it is what `pip install` of the source tree runs, and so what pre-commit runs on
its clone of it: an empty wheel that depends on the one with the program, since a pre-commit hook shall not
wait for a C++ compiler.

The same input gives the same bytes; SOURCE_DATE_EPOCH is the time of the files.
"""

import base64
import hashlib
import os
import pathlib
import sys
import time
import zipfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
VERSION = (ROOT / "VERSION").read_text().strip()
# A static program needs no libc, so both kinds of Linux may have it; old versions of pip know the old name
# of the first only.
TAGS = {
    "amd64": "manylinux2014_x86_64.manylinux_2_17_x86_64.musllinux_1_1_x86_64",
    "arm64": "manylinux2014_aarch64.manylinux_2_17_aarch64.musllinux_1_1_aarch64",
}


def digest(data):
    return base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()


class Wheel:
    """A wheel file; the files that a with-statement adds, and then its RECORD."""

    def __init__(self, folder, name, tags, metadata):
        self.info = f"{name}-{VERSION}.dist-info"
        self.path = pathlib.Path(folder) / f"{name}-{VERSION}-{tags}.whl"
        self.record = ""
        self.metadata = metadata
        self.tags = tags
        epoch = max(int(os.environ.get("SOURCE_DATE_EPOCH", "0")), 315532800)  # zip begins in 1980
        self.date = time.gmtime(epoch)[:6]

    def __enter__(self):
        self.zip = zipfile.ZipFile(self.path, "w", zipfile.ZIP_DEFLATED, compresslevel=9)
        return self

    def add(self, name, data, mode=0o644):
        file = zipfile.ZipInfo(name, self.date)
        file.external_attr = (0o100000 | mode) << 16
        file.compress_type = zipfile.ZIP_DEFLATED
        self.zip.writestr(file, data)
        self.record += f"{name},sha256={digest(data)},{len(data)}\n"

    def __exit__(self, *_):
        python, abi, platforms = self.tags.split("-")
        tags = "".join(f"Tag: {python}-{abi}-{platform}\n" for platform in platforms.split("."))
        pure = "true" if platforms == "any" else "false"
        wheel = f"Wheel-Version: 1.0\nGenerator: tpu-admission\nRoot-Is-Purelib: {pure}\n{tags}"
        self.add(f"{self.info}/METADATA", self.metadata.encode())
        self.add(f"{self.info}/WHEEL", wheel.encode())
        record = f"{self.info}/RECORD"
        self.record += f"{record},,\n"
        file = zipfile.ZipInfo(record, self.date)
        file.external_attr = 0o100644 << 16
        self.zip.writestr(file, self.record)
        self.zip.close()


def with_program(program, licences, arch, folder):
    """The wheel that carries the program; returns its path."""
    metadata = f"""Metadata-Version: 2.1
Name: tpu-admission
Version: {VERSION}
Summary: Checks TPU workloads on GKE before they are stuck
License: Apache-2.0
Keywords: tpu,gke,kubernetes,admission,linter
Classifier: License :: OSI Approved :: Apache Software License
Classifier: Operating System :: POSIX :: Linux
Classifier: Environment :: Console
Requires-Python: >=3.6
Description-Content-Type: text/markdown
License-File: LICENSE
License-File: THIRD-PARTY.txt

{(ROOT / "packaging/description.md").read_text()}"""
    with Wheel(folder, "tpu_admission", f"py3-none-{TAGS[arch]}", metadata) as wheel:
        data = f"tpu_admission-{VERSION}.data/scripts/tpu-admission"
        wheel.add(data, pathlib.Path(program).read_bytes(), 0o755)
        for module in ("__init__.py", "__main__.py"):
            text = (ROOT / "packaging/python/tpu_admission" / module).read_bytes()
            wheel.add(f"tpu_admission/{module}", text)
        wheel.add(f"{wheel.info}/LICENSE", (ROOT / "LICENSE").read_bytes())
        wheel.add(f"{wheel.info}/THIRD-PARTY.txt", pathlib.Path(licences).read_bytes())
    return wheel.path


def build_wheel(wheel_directory, config_settings=None, metadata_directory=None):
    """PEP 517: the wheel of the source tree."""
    metadata = f"""Metadata-Version: 2.1
Name: tpu-admission-pre-commit
Version: {VERSION}
Summary: Installs tpu-admission for pre-commit
Requires-Dist: tpu-admission=={VERSION}
"""
    with Wheel(wheel_directory, "tpu_admission_pre_commit", "py3-none-any", metadata) as wheel:
        pass
    return wheel.path.name


def build_sdist(sdist_directory, config_settings=None):
    raise NotImplementedError("there are wheels only; the program is C++: ./dev wheel")


if __name__ == "__main__":
    print(with_program(*sys.argv[1:]))
