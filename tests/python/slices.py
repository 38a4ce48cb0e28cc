"""Which cases the quick tests run."""

import hashlib
import os


def takes_part(name, every, rotates=True):
    """True if a case belongs to the current one of `every` parts: another part in each slice ($TONNX_SLICE) if `rotates`."""
    digest = int.from_bytes(hashlib.sha256(name.encode()).digest()[:4], "big")
    return (digest + int(os.environ.get("TONNX_SLICE") or 0) * rotates) % every == 0
