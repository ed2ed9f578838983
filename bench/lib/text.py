"""Fetches the default text source: English prose out of Debian packages.

The packages are downloaded and unpacked, never installed.  Their names carry no version, so they exist in
every current Debian release; another release gives another (equally good) corpus.
"""

import gzip
import re
import shutil
import subprocess
from pathlib import Path

# About 70 MB of raw text: an essay collection, two dictionaries with quotations, manuals, and short sayings.
PACKAGES = {
    "anarchism": "usr/share/doc/anarchism/markdown/*.md*",
    "dict-gcide": "usr/share/dictd/*.dict.dz",
    "dict-foldoc": "usr/share/dictd/*.dict.dz",
    "perl-doc": "usr/share/perl/*/pod/*.pod",
    "fortunes": "usr/share/games/fortunes/*.u8",
}

# Mark-up of the sources that would otherwise make the sentence cutter throw away whole sentences.
MARKUP = [
    (re.compile(r"\[[^\[\]]{0,60}\]"), " "),  # "[1913 Webster]", "[Obs.]"
    (re.compile(r"\b[A-Z]<+\s?([^<>]*?)\s?>+"), r"\1"),  # Perl's C<code>
    (re.compile(r"\\[^\\\n]*\\"), " "),  # a dictionary's pronunciation
    (re.compile(r"[{}_*`]"), ""),
    (re.compile(r"^%$", re.MULTILINE), ""),  # between two fortunes
]


def fetch(folder: Path) -> Path:
    """Returns the folder of plain text files, making it when it is not there."""
    texts = folder / "text"
    if texts.is_dir():
        return texts
    for tool in ("apt-get", "dpkg-deb"):
        if shutil.which(tool) is None:
            raise SystemExit(f"{tool} is not here: give your own English text with --text DIR")
    downloads = folder / "packages"
    downloads.mkdir(parents=True, exist_ok=True)
    unfinished = folder / "text.unfinished"
    shutil.rmtree(unfinished, ignore_errors=True)
    unfinished.mkdir()
    for package, pattern in PACKAGES.items():
        unpacked = downloads / package
        if not unpacked.is_dir():
            subprocess.run(["apt-get", "download", package], cwd=downloads, check=True)
            archive = next(downloads.glob(f"{package}_*.deb"))
            subprocess.run(["dpkg-deb", "-x", archive, unpacked], check=True)
        (unfinished / f"{package}.txt").write_text(plain_text(unpacked, pattern), encoding="utf-8")
    unfinished.rename(texts)
    return texts


def plain_text(unpacked: Path, pattern: str) -> str:
    parts = []
    for file in sorted(unpacked.glob(pattern)):
        data = file.read_bytes()
        if data[:2] == b"\x1f\x8b":
            data = gzip.decompress(data)
        parts.append(data.decode("utf-8", errors="replace"))
    text = "\n\n".join(parts)
    for expression, replacement in MARKUP:
        text = expression.sub(replacement, text)
    return text
