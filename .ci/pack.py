"""Writes a wheel anew with Zopfli, which packs it some 3 per cent smaller. `.ci/dist.py` runs it.

Any program that reads wheels unpacks it, for it is Deflate as before.
"""

import sys
import zipfile
from pathlib import Path

import zopfli

wheel = Path(sys.argv[1])
packed = wheel.with_suffix(".packed")
# Zopfli divides a megabyte into at most 15 blocks unless it is told that there may be any number of them.
options = {"iterations": 5, "block_splitting_max": 0}
with zipfile.ZipFile(wheel) as old, zopfli.ZipFile(packed, "w", zipfile.ZIP_DEFLATED, **options) as new:
    for entry in old.infolist():
        new.writestr(entry, old.read(entry))
packed.replace(wheel)
