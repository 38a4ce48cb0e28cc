"""The Java binding: built and tested by Maven as documented, with results from surefire's reports; then the example."""

import pathlib
import re
import shutil
import subprocess
import xml.etree.ElementTree

import java_members
import pages

# Surefire stores in files what the JVM itself writes to standard output.
JNI_WARNING = re.compile(r"(?:WARNING|FATAL ERROR) in native method.*|WARNING: JNI .*")


def run(context):
    out = context.build / "maven"
    maven = ["mvn", "-q", "-B", "-f", context.root / "bindings" / "swig" / "java", f"-Dtonnx.library.dir="
             f"{context.library.parent}", f"-Dtonnx.build.dir={out}"]
    try:
        shim = build_shim(context)
        context.check([*maven, "-DskipTests", "package"])
    except Exception as error:
        yield "build", False, str(error)
        return
    yield "build", True, ""
    env = dict(context.env, TONNX_TORCH_SHIM_JNI=str(shim))
    yield from members(context, out / "classes")
    yield page_snippets(context, out / "classes")
    yield from tests(env, maven, out / "surefire-reports")
    if context.takes_turn(0):
        yield from checked_tests(env, maven, out / "surefire-reports")
    yield from example(context, next(out.glob("tonnx-*.jar")))


def build_shim(context):
    """The torch shim as a library that Java loads."""
    source = context.root / "tests" / "bindings" / "torch_shim" / "jni.c"
    return build_jni(context, source, context.build / "libtorch_shim_jni.so", context.torch_shim)


def build_jni(context, source, library, linked):
    home = pathlib.Path(shutil.which("javac")).resolve().parents[1]
    context.check(["cc", "-Wall", "-Werror", "-fPIC", "-shared", "-o", library, source, f"-I{home / 'include'}",
                   f"-I{home / 'include' / 'linux'}", linked, f"-Wl,-rpath,{linked.parent}"])
    return library


def tests(env, maven, reports):
    done = surefire(env, maven, reports)
    cases = 0
    for report in sorted(reports.glob("TEST-*.xml")):
        for case in xml.etree.ElementTree.parse(report).getroot().iter("testcase"):
            cases += 1
            failure = next((child for child in case if child.tag in ("failure", "error", "skipped")), None)
            message = "" if failure is None else f"{failure.tag}: {failure.get('message', '')}\n{failure.text or ''}"
            if failure is None and case.find("system-out") is not None:
                message = case.find("system-out").text.strip()
            yield f"{case.get('classname').rpartition('.')[2]}.{case.get('name')}", failure is None, message
    # A crash leaves no report for its class.
    whole = cases > 0 and done.returncode == 0
    yield "runner", whole, "" if whole else f"Maven ended with {done.returncode} after {cases} cases\n{tail(done)}"


def members(context, classes):
    """Another package can name every public member."""
    file = context.build / "members" / "Members.java"
    file.parent.mkdir(parents=True, exist_ok=True)
    try:
        file.write_text(java_members.source(classes), encoding="utf-8")
        context.check(["javac", "--release", "11", "-cp", classes, "-d", file.parent, file])
    except Exception as error:
        yield "public members", False, str(error)
        return
    yield "public members", True, ""


def page_snippets(context, classes):
    file = context.build / "pages" / "Page.java"
    file.parent.mkdir(parents=True, exist_ok=True)
    try:
        file.write_text(pages.java(context.root), encoding="utf-8")
        context.check(["javac", "-cp", classes, "-d", file.parent, file])
    except Exception as error:
        return "snippets of the page", False, str(error)
    return "snippets of the page", True, ""


def checked_tests(env, maven, reports):
    """The same tests under the JVM's own checks of JNI calls, without the soak."""
    done = surefire(env, [*maven, "-Dtonnx.test.jvm.args=-Xcheck:jni -Xss512k",
                              "-Dtest=!SoakTest,!NativeLibraryTest,!ExitTest"], reports)
    native = "".join(file.read_text(errors="replace") for file in reports.glob("*.dumpstream"))
    warnings = JNI_WARNING.findall(native)
    passed = done.returncode == 0 and not warnings
    message = f"{len(warnings)} warnings\n{native[:4000]}\n{tail(done)}"
    yield "runner under -Xcheck:jni", passed, "" if passed else message


def surefire(env, maven, reports):
    for report in reports.glob("*"):
        report.unlink()
    return subprocess.run([str(part) for part in [*maven, "surefire:test"]], env=env, capture_output=True,
                          text=True, errors="replace", stdin=subprocess.DEVNULL)


def example(context, jar):
    classes = context.build / "example"
    try:
        context.check(["javac", "--release", "11", "-Xlint:all", "-Werror", "-cp", jar, "-d", classes,
                       *sorted((context.root / "examples" / "java").glob("*.java"))])
        jni = context.root / "examples" / "quadrants" / "network_jni.c"
        build_jni(context, jni, context.build / "libquadrants_jni.so", context.network)
    except Exception as error:
        yield "example compiles", False, str(error)
        return
    yield "example compiles", True, ""
    yield from context.example(["java", "-cp", f"{jar}:{classes}", "CustomOperator"])
    yield context.walks(["java", "-cp", f"{jar}:{classes}", "Walk"])
    yield context.quadrants(["java", f"-Djava.library.path={context.build}", "-cp", f"{jar}:{classes}", "Quadrants"])


def tail(done):
    return done.stdout[-4000:] + done.stderr[-2000:]
