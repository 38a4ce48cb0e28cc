"""tonnx-VERSION-linux-x86_64.tar.gz: everything, to be unpacked anywhere."""

from archives import write_tar_gz


def make(installation, out):
    name = f"tonnx-{installation.version}-linux-x86_64"
    file = out / f"{name}.tar.gz"
    write_tar_gz(file, installation.prefix, name, installation.date)
    return [file]
