#!/usr/bin/env python3
"""Installs catena for programs that are built without Bazel:

    ./bazelw run //:install -- --prefix=DIR

    DIR/lib/libcatena.so       and libcatena_caffe.so, libcatena_mpi.so
    DIR/lib/cmake/catena       find_package(catena), with the targets catena::catena,
                               catena::array, catena::functions, ...
    DIR/lib/pkgconfig          catena.pc
    DIR/include/catena         headers
    DIR/share/catena           data that ship with catena, the license, and a list of
                               all files

DIR is created if necessary, and may be moved later. Each file replaces that of an
earlier installation at once, so that programs that start meanwhile find either. Files
of an earlier installation that are there no more are removed.
"""

import argparse
import json
import os
import pathlib
import re
import shutil
import sys
import tempfile

# The list of installed files, in the prefix.
LISTING = pathlib.Path("share/catena/installed_files.txt")

# What the headers may include from outside of catena: a pattern, the package and target
# of CMake, and the package of pkg-config.
PACKAGES = [
    (r"absl/\w+/(\w+)\.h", "absl", r"absl::\1", r"absl_\1"),
    (r"nlohmann/.*", "nlohmann_json", "nlohmann_json::nlohmann_json", "nlohmann_json"),
    (r"zlib\.h", "ZLIB", "ZLIB::ZLIB", "zlib"),
    (r"(cublas|cuda|cusolver)\w*\.h", "CUDAToolkit", "CUDA::cudart", None),
]
OF_THE_SYSTEM = re.compile(r"[a-z_]+|(signal|unistd|sys/types)\.h")
INCLUDE = re.compile(r'^\s*#\s*include\s*[<"]([^>"]+)[>"]', re.MULTILINE)


def version_in(module_file):
    """The version in MODULE.bazel."""
    return re.search(r'^\s*version = "([\d.]+)"',
                     pathlib.Path(module_file).read_text(), re.MULTILINE).group(1)


def soname(library, version):
    """What programs linked with a version ask for: see docs/guide/compatibility.md."""
    major, minor, _ = version.split(".")
    return f"{library}.{major}" if int(major) > 0 else f"{library}.{major}.{minor}"


def needed_headers(root, roots, candidates):
    """Returns the headers that `roots` include, directly or not, themselves among them,
    and what these include from outside of catena."""
    found, outside, to_read = set(), set(), list(roots)
    while to_read:
        header = to_read.pop()
        if header in found:
            continue
        if header not in candidates:
            sys.exit(f"install: no library exports the header {header}")
        found.add(header)
        for name in INCLUDE.findall((root / header).read_text()):
            if name.startswith("catena/"):
                to_read.append(name.removeprefix("catena/"))
            elif not OF_THE_SYSTEM.fullmatch(name):
                outside.add(name)
    return sorted(found), outside


def packages_of(outside):
    """Returns the packages and targets of CMake and the packages of pkg-config that
    provide headers."""
    packages, targets, modules = set(), set(), set()
    for name in outside:
        for pattern, package, target, module in PACKAGES:
            if match := re.fullmatch(pattern, name):
                packages.add(package)
                targets.add(match.expand(target))
                if module:
                    modules.add(match.expand(module))
                break
        else:
            sys.exit(f"install: a header includes {name}, of an unknown package")
    return sorted(packages), sorted(targets), sorted(modules)


class Prefix:
    """The folder into which files are installed."""

    def __init__(self, path):
        self.path = path
        self.installed = set()
        try:
            path.mkdir(parents=True, exist_ok=True)
            tempfile.TemporaryFile(dir=path).close()
        except OSError as error:
            sys.exit(f"install: cannot write to the prefix {path}: {error.strerror}. "
                     "Choose another folder with --prefix=DIR")

    def _replace(self, name, make):
        """Calls make(path of a new file) and gives that the final name."""
        target = self.path / name
        target.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(prefix=".catena-", dir=target.parent) as beside:
            new = pathlib.Path(beside, target.name)
            make(new)
            os.replace(new, target)
        self.installed.add(str(name))

    def copy(self, source, name):
        """Installs a copy of a file."""
        def make(new):
            shutil.copyfile(source, new)
            new.chmod(0o755 if ".so" in new.name else 0o644)
        self._replace(name, make)

    def write(self, text, name):
        """Installs a file with a text."""
        def make(new):
            new.write_text(text)
            new.chmod(0o644)
        self._replace(name, make)

    def link(self, target, name):
        """Installs a symbolic link."""
        self._replace(name, lambda new: new.symlink_to(target))

    def remove_what_was_there(self):
        """Removes the files of an earlier installation that this one lacks."""
        listing = self.path / LISTING
        before = set(listing.read_text().splitlines()) if listing.exists() else set()
        for name in before - self.installed - {str(LISTING)}:
            path = self.path / name
            path.unlink(missing_ok=True)
            for folder in path.parents:
                if folder == self.path or any(folder.iterdir()):
                    break
                folder.rmdir()
        self.write("".join(f"{name}\n" for name in sorted(self.installed)), LISTING)


def fill(template, values):
    """Replaces @NAME@ by values["NAME"]."""
    return re.sub(r"@(\w+)@", lambda match: values[match.group(1)], template)


def install(manifest, root, prefix):
    """Installs what a manifest names, which is at `root`, where Bazel runs programs."""
    source = root / manifest["root"]
    version = version_in(root / manifest["version_file"])
    major, minor, _ = version.split(".")
    headers, outside = needed_headers(source, manifest["roots"], set(manifest["headers"]))
    text = "".join((source / header).read_text() for header in headers)
    # Those of other libraries are for sources alone.
    defines = [define for define in manifest["defines"]
               if re.search(rf"\b{define.split('=')[0]}\b", text)]
    packages, targets, modules = packages_of(outside)
    if manifest["cuda"]:
        packages = sorted({*packages, "CUDAToolkit"})

    for header in headers:
        prefix.copy(source / header, pathlib.Path("include/catena", header))
    for name in manifest["data"]:
        prefix.copy(source / name, pathlib.Path("share/catena", name))
    prefix.copy(root / manifest["license"], pathlib.Path("share/catena/LICENSE"))

    additions = []
    for library in manifest["libraries"]:
        name = pathlib.Path(library).name
        file, runtime_name = f"{name}.{version}", soname(name, version)
        prefix.copy(root / library, pathlib.Path("lib", file))
        prefix.link(file, pathlib.Path("lib", runtime_name))
        prefix.link(runtime_name, pathlib.Path("lib", name))
        stem = name.removeprefix("lib").removesuffix(".so")
        here = manifest["targets"][stem]
        if stem == "catena":
            additions.append(f"_catena_add_library(catena {file} {runtime_name} "
                             f"{' '.join(targets)})")
            additions += [f"_catena_add_folder({target} catena::catena)" for target in here]
        else:
            additions += [f"_catena_add_library({target} {file} {runtime_name} "
                          "catena::catena)" for target in here]
    values = {
        "VERSION": version,
        "MAJOR": major,
        "MINOR": minor,
        "WITH_CUDA": "ON" if manifest["cuda"] else "OFF",
        "FIND_DEPENDENCIES": "\n".join(f"find_dependency({name})" for name in packages),
        "ADD_TARGETS": "\n".join(additions),
        "DEFINES": ";".join(defines),
    }
    for_pkg_config = {
        **values,
        "WITH_CUDA": ", with CUDA" if manifest["cuda"] else "",
        "REQUIRES": " ".join(modules),
        "DEFINES": "".join(f" -D{define}" for define in defines),
    }
    for path in manifest["templates"]:
        name = pathlib.Path(path).name.removesuffix(".in")
        of_cmake = name.endswith(".cmake")
        prefix.write(fill((root / path).read_text(), values if of_cmake else for_pkg_config),
                     pathlib.Path("lib/cmake/catena" if of_cmake else "lib/pkgconfig", name))
    prefix.remove_what_was_there()
    print(f"install: catena {version}{' with CUDA' if manifest['cuda'] else ''} is in "
          f"{prefix.path}: {len(manifest['libraries'])} libraries, {len(headers)} headers")


def main():
    parser = argparse.ArgumentParser(
        prog="./bazelw run //:install --", description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--prefix", metavar="DIR", help="the folder to install into")
    # For Bazel: what to install, and the linker's option for a library's name.
    parser.add_argument("--manifest", help=argparse.SUPPRESS)
    parser.add_argument("--soname-of", nargs=2, help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.soname_of:
        module_file, library = arguments.soname_of
        print("-Wl,-soname," + soname(library, version_in(module_file)))
        return
    if not arguments.prefix:
        parser.error("--prefix=DIR is missing: the folder to install into")
    # Bazel starts programs in a folder of its own.
    started_in = pathlib.Path(os.environ.get("BUILD_WORKING_DIRECTORY", os.getcwd()))
    manifest = pathlib.Path(arguments.manifest)
    contents = json.loads(manifest.read_text())
    root = manifest
    for _ in pathlib.Path(contents["manifest"]).parts:
        root = root.parent
    prefix = Prefix((started_in / pathlib.Path(arguments.prefix).expanduser()).resolve())
    try:
        install(contents, root, prefix)
    except OSError as error:
        sys.exit(f"install: cannot install into the prefix {prefix.path}: {error}")


if __name__ == "__main__":
    main()
