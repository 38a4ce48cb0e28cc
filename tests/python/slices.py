"""Which cases the quick tests run."""

import hashlib
import os


def takes_part(name, every, rotates=True):
    """Whether a case is among one of `every` parts of all cases: another part in each slice ($TONNX_SLICE) if it rotates."""
    digest = int.from_bytes(hashlib.sha256(name.encode()).digest()[:4], "big")
    return (digest + int(os.environ.get("TONNX_SLICE") or 0) * rotates) % every == 0
