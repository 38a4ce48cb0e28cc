"""A clean room: a shell script runs without network, and without the checkout, the build folder, caches or home of this user.

The items of a room are mounted below /mnt, each by its name."""

import os
import pathlib
import shlex
import subprocess
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]


# Code of a script that needs something the machine does not have.
UNSUPPORTED = 77


def can_unshare():
    script = "mount --make-rprivate / && mount -t tmpfs tmpfs /mnt"
    return subprocess.run(["unshare", "-mn", "sh", "-c", script], capture_output=True).returncode == 0


class Room:
    def __init__(self, build, items):
        cache = dependency("tools").resolve().parent
        private = [ROOT, build, cache, pathlib.Path.home(), pathlib.Path("/usr/local")]
        # A folder inside a hidden one is hidden with it.
        self.hidden = [path for path in dict.fromkeys(private) if not any(other in path.parents for other in private)]
        self.items = items

    def run(self, script, tools=()):
        """Runs a bash script in an empty folder, with an empty home. Returns its output. Fails, with the output, if the script
        does. Skips the test if the machine lacks one of the tools or an item of the room, or cannot do what the script
        needs."""
        for name, path in self.items.items():
            if not path.exists() and f"/mnt/{name}" in script:
                raise unittest.SkipTest(f"{path} does not exist")
        mounts = ["mount --make-rprivate /", "mount -t tmpfs tmpfs /mnt"]
        for name, path in self.items.items():
            if not path.exists():
                continue
            target = f"/mnt/{name}"
            mounts.append(f"mkdir {target}" if path.is_dir() else f"touch {target}")
            mounts.append(f"mount --bind {shlex.quote(str(path.resolve()))} {target}")
        hide = [f"mount -t tmpfs tmpfs {shlex.quote(str(path))}" for path in self.hidden]
        mounts += hide
        # For a script that mounts something over /usr or /var.
        again = [line for path, line in zip(self.hidden, hide) if str(path).startswith(("/usr/", "/var/"))]
        mounts.append("hide_again() {\n" + "\n".join(["true", *again]) + "\n}")
        with tempfile.TemporaryDirectory(dir="/var/tmp") as folder:
            mounts += [f"mount --bind {folder} /srv", "mkdir -p /srv/home", "cd /srv", "mount -t tmpfs tmpfs /tmp"]
            needs = [f"command -v {tool} > /dev/null || exit {UNSUPPORTED}" for tool in tools]
            lines = ["set -e", *mounts, "export HOME=/srv/home TMPDIR=/srv", *needs, "set -uo pipefail", script]
            done = subprocess.run(["unshare", "-mn", "bash", "-c", "\n".join(lines)], capture_output=True, text=True,
                                  timeout=300, stdin=subprocess.DEVNULL, cwd="/",
                                  env={"PATH": "/usr/sbin:/usr/bin:/sbin:/bin", "LC_ALL": "C.UTF-8"})
        output = f"{done.stdout}\n{done.stderr}"
        if done.returncode == UNSUPPORTED:
            raise unittest.SkipTest(output)
        assert done.returncode == 0, f"the script ended with {done.returncode}:\n{script}\n{output}"
        return done.stdout + done.stderr


def dependency(name):
    """A folder that scripts/deps made."""
    return pathlib.Path(os.environ["TONNX_DEPS"]) / name
