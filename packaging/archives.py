"""Archives with the same bytes for the same content: sorted names, one time, no user names."""

import gzip
import io
import tarfile
import time
import zipfile


def entries(folder):
    """Files and links of a folder, recursively, in the order of their names: (path, name)."""
    found = (path for path in folder.rglob("*") if path.is_symlink() or not path.is_dir())
    return sorted(((path, path.relative_to(folder).as_posix()) for path in found), key=lambda entry: entry[1])


def mode(path):
    return 0o755 if path.stat().st_mode & 0o100 else 0o644


def write_tar_gz(file, folder, top, date):
    """A tar.gz of the folder's content below the folder `top`."""
    with open(file, "wb") as raw, gzip.GzipFile(filename="", mode="wb", fileobj=raw, mtime=date) as packed:
        with tarfile.open(fileobj=packed, mode="w", format=tarfile.PAX_FORMAT) as tar:
            for path, name in entries(folder):
                entry = tarfile.TarInfo(f"{top}/{name}")
                entry.mtime = date
                if path.is_symlink():
                    entry.type, entry.linkname, entry.mode = tarfile.SYMTYPE, str(path.readlink()), 0o777
                    tar.addfile(entry)
                else:
                    content = path.read_bytes()
                    entry.size, entry.mode = len(content), mode(path)
                    tar.addfile(entry, io.BytesIO(content))


def write_zip(file, folder, date, first=()):
    """A zip of the folder's content. Names in `first` come first, in that order. Links are stored as their files."""
    order = {name: rank for rank, name in enumerate(first)}
    when = time.gmtime(max(date, 315532800))[:6]  # zip knows no time before 1980
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as packed:
        for path, name in sorted(entries(folder), key=lambda entry: (order.get(entry[1], len(order)), entry[1])):
            entry = zipfile.ZipInfo(name, when)
            entry.compress_type = zipfile.ZIP_DEFLATED
            entry.create_system = 3
            entry.external_attr = (0o100000 | mode(path)) << 16
            packed.writestr(entry, path.read_bytes())
