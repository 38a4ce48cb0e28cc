"""The NuGet package Tonnx: the assembly, its documentation and the native libraries."""

import hashlib
import os
import pathlib
import shutil
import struct
import tempfile

from archives import write_zip
from installation import ROOT, SUMMARY, run

NUSPEC = """<?xml version="1.0" encoding="utf-8"?>
<package xmlns="http://schemas.microsoft.com/packaging/2013/05/nuspec.xsd">
  <metadata>
    <id>Tonnx</id>
    <version>{version}</version>
    <authors>tonnx developers</authors>
    <license type="expression">Apache-2.0</license>
    <projectUrl>https://github.com/tonnx/tonnx</projectUrl>
    <readme>README.md</readme>
    <description>{summary}</description>
    <tags>onnx libtorch torchsharp</tags>
    <dependencies>
      <group targetFramework=".NETStandard2.0" />
    </dependencies>
  </metadata>
</package>
"""
TYPES = """<?xml version="1.0" encoding="utf-8"?>
<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types">
  <Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml" />
  <Default Extension="nuspec" ContentType="application/octet" />
  <Default Extension="dll" ContentType="application/octet" />
  <Default Extension="xml" ContentType="application/octet" />
  <Default Extension="md" ContentType="application/octet" />
  <Default Extension="so" ContentType="application/octet" />
  <Default Extension="0" ContentType="application/octet" />
  <Override PartName="/LICENSE" ContentType="application/octet" />
  <Override PartName="/NOTICE" ContentType="application/octet" />
</Types>
"""
RELATIONS = """<?xml version="1.0" encoding="utf-8"?>
<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships">
  <Relationship Type="http://schemas.microsoft.com/packaging/2010/07/manifest" Target="/Tonnx.nuspec" Id="R1" />
</Relationships>
"""


def make(installation, out):
    with tempfile.TemporaryDirectory() as temporary:
        built, content = pathlib.Path(temporary) / "built", pathlib.Path(temporary) / "content"
        # The id depends on the folder of the build; to remove its section later would drop GNU_RELRO.
        without_id = {**os.environ, "CXXFLAGS": "-Wl,--build-id=none"}
        run(ROOT / "bindings" / "swig" / "csharp" / "build", built, installation.prefix / "lib", env=without_id)
        managed, native = content / "lib" / "netstandard2.0", content / "runtimes" / "linux-x64" / "native"
        for folder in (managed, native, content / "_rels"):
            folder.mkdir(parents=True)
        (managed / "Tonnx.dll").write_bytes(without_time_and_id((built / "Tonnx.dll").read_bytes()))
        shutil.copyfile(built / "Tonnx.xml", managed / "Tonnx.xml")
        shutil.copyfile(built / "libtonnx_csharp.so", native / "libtonnx_csharp.so")
        run("strip", native / "libtonnx_csharp.so")
        # The folder of the build comes after $ORIGIN in the run path.
        run("patchelf", "--set-rpath", "$ORIGIN", native / "libtonnx_csharp.so")
        for name, path in installation.libraries.items():
            shutil.copyfile(path, native / name)
        for name in ("LICENSE", "NOTICE"):
            shutil.copyfile(ROOT / name, content / name)
        shutil.copyfile(ROOT / "docs" / "csharp.md", content / "README.md")
        (content / "Tonnx.nuspec").write_text(NUSPEC.format(version=installation.version, summary=SUMMARY))
        (content / "[Content_Types].xml").write_text(TYPES)
        (content / "_rels" / ".rels").write_text(RELATIONS)
        file = out / f"Tonnx.{installation.version}.nupkg"
        write_zip(file, content, installation.date, first=["[Content_Types].xml", "_rels/.rels", "Tonnx.nuspec"])
    return [file]


def without_time_and_id(assembly):
    """The assembly with time 0, and with an identity that depends on its content. The compiler writes random ones.
    ECMA-335, II.25.2.2 (PE file header) and II.24.2 (metadata: #GUID)."""
    header = struct.unpack_from("<I", assembly, 0x3C)[0]
    content = bytearray(assembly)
    struct.pack_into("<I", content, header + 8, 0)
    root = assembly.index(b"BSJB")
    streams = root + 16 + struct.unpack_from("<I", assembly, root + 12)[0]
    position = streams + 4
    for _ in range(struct.unpack_from("<H", assembly, streams + 2)[0]):
        offset, size = struct.unpack_from("<II", assembly, position)
        name = assembly[position + 8:assembly.index(b"\0", position + 8)]
        if name == b"#GUID":
            content[root + offset:root + offset + size] = bytes(size)
            identity = hashlib.sha256(content).digest()[:16]
            content[root + offset:root + offset + 16] = identity
        position += 8 + (len(name) + 4) // 4 * 4
    return bytes(content)
