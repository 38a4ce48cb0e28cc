"""The Go module as a file proxy has it: GOPROXY=file://DIST/go. It finds the installed tonnx by pkg-config."""

import datetime
import json
import shutil
import tempfile
from pathlib import Path

from archives import write_zip
from installation import ROOT, run

BINDING = ROOT / "bindings" / "go"


def make(installation, out):
    module = (BINDING / "go.mod").read_text(encoding="utf-8").split()[1]
    version = f"v{installation.version}"
    target = out / "go" / module / "@v"
    shutil.rmtree(out / "go", ignore_errors=True)
    target.mkdir(parents=True)
    with tempfile.TemporaryDirectory() as temporary:
        top = Path(temporary) / f"{module}@{version}"
        for name in run("git", "-C", BINDING, "ls-files").split():
            (top / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(BINDING / name, top / name)
        shutil.copyfile(ROOT / "LICENSE", top / "LICENSE")
        write_zip(target / f"{version}.zip", Path(temporary), installation.date)
    shutil.copyfile(BINDING / "go.mod", target / f"{version}.mod")
    time = datetime.datetime.fromtimestamp(installation.date, datetime.timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ")
    (target / f"{version}.info").write_text(json.dumps({"Version": version, "Time": time}), encoding="utf-8")
    (target / "list").write_text(version + "\n", encoding="utf-8")
    return [target / f"{version}.zip"]
