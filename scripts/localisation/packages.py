"""Debian's packages: which of them have translations, and what is in them. Nothing is installed."""
import collections
import functools
import gzip
import re
import subprocess
import sys
import urllib.request


def fail(text):
    sys.exit(f"scripts/get-localisation: {text}")


def output_of(*command, text=None):
    result = subprocess.run(command, input=text, capture_output=True, encoding="utf-8")
    if result.returncode != 0:
        fail(f"{command[0]}: {(result.stderr.strip() or 'failed').splitlines()[-1]}")
    return result.stdout


def sizes_of(packages):
    """The download sizes in bytes of those packages that can be installed."""
    sizes = {}
    for first in range(0, len(packages), 500):
        shown = subprocess.run(["apt-cache", "show", "--no-all-versions", *packages[first:first + 500]],
                               capture_output=True, encoding="utf-8").stdout
        for record in shown.split("\n\n"):
            name, size = (re.search(rf"^{key}: (\S+)", record, re.M) for key in ("Package", "Size"))
            if name and size:
                sizes[name[1]] = int(size[1])
    return sizes


@functools.cache
def indexes():
    """The lists of all files in the packages of the Debian mirror: lines of a path and its packages."""
    targets = output_of("apt-get", "indextargets", "--format", "$(SITE) $(RELEASE)", "Created-By: Packages",
                        "Origin: Debian", "Label: Debian", "Component: main").splitlines()
    if not targets:
        fail("needs the apt sources of a Debian machine")
    site, release = targets[0].split()
    texts = []
    for kind in ("all", output_of("dpkg", "--print-architecture").strip()):
        address = f"{site}/dists/{release}/main/Contents-{kind}.gz"
        try:
            with urllib.request.urlopen(address, timeout=60) as answer:
                texts.append(gzip.decompress(answer.read()).decode("utf-8", "replace"))
        except OSError as error:
            fail(f"{address}: {error}")
    return texts


def packages_with(path):
    """The number of files in each package whose paths match a regular expression."""
    counts = collections.Counter()
    for index in indexes():
        for places in re.findall(rf"^{path}\s+(\S+)$", index, re.M):
            counts[places.split(",")[0].rsplit("/", 1)[-1]] += 1
    return counts


def fullest(counts, sizes, limit):
    """The packages with the most files for their size, as many as the limit in bytes allows."""
    chosen = []
    for name in sorted((name for name in counts if name in sizes),
                       key=lambda name: (-counts[name] / (sizes[name] + 100_000), name)):
        if sizes[name] <= limit:
            chosen.append(name)
            limit -= sizes[name]
    return chosen


def with_messages(language, limit):
    """LibreOffice's packages, then those with catalogues of messages, up to the limit in bytes."""
    code = language.lower().replace("_", "-")
    office = [f"libreoffice-l10n-{code}", "libreoffice-help-en-us", f"libreoffice-help-{code}"]
    counts = packages_with(rf"usr/share/locale/{re.escape(language)}/LC_MESSAGES/\S+\.mo")
    sizes = sizes_of(office + list(counts))
    if f"libreoffice-help-{code}" not in sizes:
        office.remove("libreoffice-help-en-us")
    chosen = [name for name in office if name in sizes]
    chosen += fullest(counts, sizes, limit - sum(sizes[name] for name in chosen))
    if not chosen:
        fail(f"Debian has no translations into '{language}'; name a language like de, eu or pt_BR")
    return chosen


def with_help_pages(language, limit):
    """Packages with pages of help in the format of GNOME's, up to the limit in bytes."""
    counts = packages_with(rf"usr/share/help/{re.escape(language)}/\S+\.(?:page|docbook|xml)")
    return fullest(counts, sizes_of(list(counts)), limit)


def unpack(packages, folder):
    """Downloads the packages and unpacks each into a folder of its own. Returns their versions."""
    folder.mkdir(parents=True, exist_ok=True)
    if packages:
        output_of("env", "-C", str(folder), "apt-get", "download", "-qq", *packages)
    versions = {}
    for archive in sorted(folder.glob("*.deb")):
        name, version = output_of("dpkg-deb", "-f", str(archive), "Package", "Version").split("\n")[:2]
        name, versions_of = name.split(": ")[1], version.split(": ")[1]
        output_of("dpkg-deb", "-x", str(archive), str(folder / name))
        archive.unlink()
        versions[name] = versions_of
    return versions
