"""Runs the tests of one language's binding and its example, and prints each result as a line of TAP.

    run.py LANGUAGE --build DIR --library FILE --operators FILE --archive FILE --libtorch DIR --torch-shim FILE
           --failing-new FILE --network FILE --reference PROGRAM [--program PROGRAM --walk PROGRAM] [--slow]

LANGUAGE.py beside this file has a function run(context) that yields (name, passed, message).
"""

import argparse
import importlib
import pathlib
import sys
import traceback

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))

from context import Context, Failed  # noqa: E402


def arguments():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("language")
    for name in ("build", "library", "operators", "archive", "libtorch", "torch-shim", "failing-new", "network", "reference"):
        parser.add_argument(f"--{name}", type=lambda text: pathlib.Path(text).resolve(), required=True)
    for name in ("program", "walk"):
        parser.add_argument(f"--{name}", type=lambda text: pathlib.Path(text).resolve())
    parser.add_argument("--slow", action="store_true", help="long soaks")
    return parser.parse_args()


def results(language, context):
    try:
        yield from importlib.import_module(language).run(context)
    except Failed as error:
        yield "runs", False, str(error)
    except Exception:
        yield "runs", False, traceback.format_exc()


def main():
    given = vars(arguments())
    language = given.pop("language")
    context = Context(root=HERE.parents[1], **given)
    context.build.mkdir(parents=True, exist_ok=True)
    count = failures = 0
    for name, passed, message in results(language, context):
        count += 1
        failures += not passed
        print(f"{'ok' if passed else 'not ok'} {count} - {name.replace('#', '')}")
        for line in message.splitlines():
            print(f"# {line}")
        sys.stdout.flush()
    print(f"1..{count}")
    return 1 if failures or not count else 0


if __name__ == "__main__":
    sys.exit(main())
