"""A Maven repository with org.tonnx:tonnx: the jar with the native libraries, its sources, Javadoc and pom."""

import hashlib
import os
import pathlib
import shutil
import tempfile
import zipfile

from archives import write_zip
from installation import ROOT, run

JAVA = ROOT / "bindings" / "swig" / "java"
NATIVE = "org/tonnx/native/linux-x86_64"


def make(installation, out):
    version = installation.version
    target = out / "maven" / "org" / "tonnx" / "tonnx" / version
    shutil.rmtree(target, ignore_errors=True)
    target.mkdir(parents=True)
    with tempfile.TemporaryDirectory() as temporary:
        work = pathlib.Path(temporary)
        run("mvn", "-q", "-B", "-f", JAVA, "-DskipTests", f"-Dtonnx.library.dir={installation.prefix / 'lib'}",
            f"-Dtonnx.build.dir={work / 'maven'}", "package", env=dict(os.environ, TONNX_RUN_PATH=""))
        files = [
            jar(installation, work, target / f"tonnx-{version}.jar"),
            sources(installation, work, target / f"tonnx-{version}-sources.jar"),
            javadoc(installation, work, target / f"tonnx-{version}-javadoc.jar"),
        ]
    pom = target / f"tonnx-{version}.pom"
    shutil.copyfile(JAVA / "pom.xml", pom)
    for file in [*files, pom]:
        for algorithm in ("md5", "sha1"):  # what a Maven repository has beside each file
            file.with_name(f"{file.name}.{algorithm}").write_text(hashlib.new(algorithm, file.read_bytes()).hexdigest())
    return [*files, pom]


def jar(installation, work, file):
    """Maven's jar with the libraries beside its JNI library, and their index; see BundledLibraries.java."""
    content = work / "jar"
    with zipfile.ZipFile(next((work / "maven").glob("tonnx-*.jar"))) as packed:
        packed.extractall(content)
    native = content / NATIVE
    run("strip", native / "libtonnx_jni.so")
    lines = []
    for name, path in sorted(installation.libraries.items()):
        shutil.copyfile(path, native / name)
        lines.append(f"{hashlib.sha256(path.read_bytes()).hexdigest()} {name}\n")
    (native / "index").write_text("".join(lines), encoding="utf-8")
    for name in ("LICENSE", "NOTICE"):
        shutil.copyfile(ROOT / name, content / "META-INF" / name)
    for properties in (content / "META-INF").rglob("pom.properties"):
        properties.unlink()  # has the time of the build
    write_zip(file, content, installation.date, first=["META-INF/MANIFEST.MF"])
    return file


def sources(installation, work, file):
    content = work / "sources"
    shutil.copytree(JAVA / "src" / "main" / "java", content)
    shutil.copytree(work / "maven" / "generated-sources" / "swig", content, dirs_exist_ok=True)
    write_zip(file, content, installation.date)
    return file


def javadoc(installation, work, file):
    content = work / "javadoc"
    run("javadoc", "-quiet", "-notimestamp", "-Xdoclint:none", "--release", "11", "-d", content, "-sourcepath",
        work / "sources", "-exclude", "org.tonnx.internal", "org.tonnx")
    write_zip(file, content, installation.date)
    return file
