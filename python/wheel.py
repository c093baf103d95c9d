"""Packs the package calque, installed into a folder, into a wheel.

    wheel.py STAGE OUT

STAGE has the folder calque. The tag names the Python that the module is built for, and the oldest glibc that
has every symbol which the programs and libraries of the folder need, also of libstdc++. A wheel has no symbolic
links, so a library is packed once, under the name by which programs look for it.
"""

import base64
import hashlib
import pathlib
import re
import subprocess
import sys
import sysconfig
import tomllib
import zipfile

PROJECT = pathlib.Path(__file__).resolve().parent.parent


def packed_files(stage: pathlib.Path) -> list[pathlib.Path]:
    """The files, without those that a symbolic link beside them stands for."""
    files = sorted(path for path in stage.rglob("*") if path.is_file())
    links = [path for path in files if path.is_symlink()]
    renamed = {path.resolve() for path in links if path.resolve().parent == path.parent.resolve()}
    return [path for path in files if path.is_symlink() or path.resolve() not in renamed]


def is_program(path: pathlib.Path) -> bool:
    with path.open("rb") as file:
        return file.read(4) == b"\x7fELF"


# The minor version of the first glibc 2 whose distributions have a libstdc++ with GLIBCXX_3.4.N.
LIBSTDCXX_OF_GLIBC = {29: 34, 30: 35, 31: 38, 32: 38, 33: 39, 34: 41}


def oldest_glibc(files: list[pathlib.Path]) -> tuple[int, int]:
    newest = (2, 0)
    for path in files:
        if not is_program(path):
            continue
        symbols = subprocess.run(["objdump", "-T", path], capture_output=True, text=True, check=True).stdout
        for major, minor in re.findall(r"\(?GLIBC_(\d+)\.(\d+)", symbols):
            newest = max(newest, (int(major), int(minor)))
        for minor in re.findall(r"GLIBCXX_3\.4\.(\d+)", symbols):
            if int(minor) > 28:
                newest = max(newest, (2, LIBSTDCXX_OF_GLIBC[int(minor)]))
    return newest


def place_of(name: str, version: str) -> str:
    """Manual pages and completion scripts go below share/ of the environment, where programs look for them."""
    share = "calque/share/"
    return f"calque-{version}.data/data/share/{name[len(share):]}" if name.startswith(share) else name


def metadata(project: dict, version: str) -> str:
    lines = ["Metadata-Version: 2.1", f"Name: {project['name']}", f"Version: {version}",
             f"Summary: {project['description']}", "License: MIT",
             f"Requires-Python: {project['requires-python']}"]
    lines += [f"Requires-Dist: {each}" for each in project.get("dependencies", [])]
    for extra, packages in project.get("optional-dependencies", {}).items():
        lines.append(f"Provides-Extra: {extra}")
        lines += [f"Requires-Dist: {each}; extra == '{extra}'" for each in packages]
    return "\n".join(lines) + "\nDescription-Content-Type: text/markdown\n\n" + (PROJECT / "README.md").read_text()


def main() -> None:
    stage, out = map(pathlib.Path, sys.argv[1:])
    project = tomllib.loads((PROJECT / "pyproject.toml").read_text())["project"]
    version = re.search(r"project\(calque VERSION ([0-9.]+)", (PROJECT / "CMakeLists.txt").read_text())[1]
    files = packed_files(stage)
    major, minor = oldest_glibc(files)
    module = next(stage.glob("calque/_calque.cpython-*.so"))
    python = "cp" + module.name.split("-")[1]
    machine = sysconfig.get_platform().split("-", 1)[1].replace("-", "_")
    tag = f"{python}-{python}-manylinux_{major}_{minor}_{machine}"
    info = f"calque-{version}.dist-info"
    scripts = "".join(f"{name} = {place}\n" for name, place in project["scripts"].items())
    texts = {
        f"{info}/METADATA": metadata(project, version),
        f"{info}/WHEEL": f"Wheel-Version: 1.0\nGenerator: calque\nRoot-Is-Purelib: false\nTag: {tag}\n",
        f"{info}/entry_points.txt": f"[console_scripts]\n{scripts}",
        f"{info}/licenses/LICENSE": (PROJECT / "LICENSE").read_text(),
    }
    content = [(place_of(path.relative_to(stage).as_posix(), version), path.read_bytes(), path.stat().st_mode & 0o755)
               for path in files]
    content += [(name, text.encode(), 0o644) for name, text in texts.items()]
    record = ""
    wheel = out / f"calque-{version}-{tag}.whl"
    with zipfile.ZipFile(wheel, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as archive:
        for name, data, mode in content:
            digest = base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()
            record += f"{name},sha256={digest},{len(data)}\n"
            entry = zipfile.ZipInfo(name)
            entry.compress_type = zipfile.ZIP_DEFLATED
            entry.external_attr = (0o100000 | mode) << 16
            archive.writestr(entry, data)
        archive.writestr(f"{info}/RECORD", record + f"{info}/RECORD,,\n")
    print(wheel.name)


if __name__ == "__main__":
    main()
