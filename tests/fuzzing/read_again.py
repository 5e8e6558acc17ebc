#!/usr/bin/env python3
"""Reads damaged files that catena accepts again, with other readers, and compares.

    ./bazelw test //tests/fuzzing:agreement_test
    ./bazelw run //tests/fuzzing:agreement_test -- --count=100000 --formats=npy,npz

The program accepted_mutants makes the files and says what catena read: names, dtypes,
shapes and values, here compared bit by bit. NumPy reads .npy and .npz, h5py .h5, and some
lines below .safetensors and IDX. What another reader refuses is a difference, too; those
that are meant are in KNOWN, with the reason. Files with other differences are left in the
folder that is printed; then the exit code is 1. A format whose reader is not installed is
skipped, which is printed.
"""

import argparse
import collections
import contextlib
import gzip
import io
import json
import multiprocessing
import os
import pathlib
import pickle
import resource
import struct
import subprocess
import sys
import tempfile
import time

try:
    import numpy
except ImportError:
    # The system's Python may have what the first one in PATH lacks.
    if os.path.exists("/usr/bin/python3") and os.path.realpath(sys.executable) != (
            os.path.realpath("/usr/bin/python3")):
        os.execv("/usr/bin/python3", ["/usr/bin/python3", *sys.argv])
    numpy = None

# Without it the HDF5 library locks files, and h5py prints to the terminal.
try:
    import h5py
except ImportError:
    h5py = None

HERE = pathlib.Path(__file__).parent
PROGRAM = HERE / "accepted_mutants"

# Differences that are meant, by name.
KNOWN = {
    "a bool is 1 for any other byte than 0":
        "NumPy keeps the byte and takes it for true; to C++ it would be no bool at all",
    "a datatype of version 4 or 5":
        "HDF5 1.12 and 2.0 write them; h5py with an older library refuses them",
    "a layout of version 5":
        "HDF5 2.0 writes it; h5py with an older library refuses it",
    "a text of fixed length that a zero ends":
        "h5py returns what is behind the zero, too, against the format",
    "a text of fixed length that spaces fill":
        "h5py returns the spaces, too, against the format",
}

Entry = collections.namedtuple("Entry", "name dtype shape parts")


class Difference(Exception):
    """What the other reader makes of a file; `name` is a row of KNOWN or empty."""

    def __init__(self, text, name=""):
        super().__init__(text)
        self.name = name


class Frames:
    """What accepted_mutants writes."""

    def __init__(self, stream):
        self.stream = stream

    def number(self, size=4):
        return int.from_bytes(self.bytes(size), "little")

    def bytes(self, size):
        data = self.stream.read(size)
        if len(data) < size:
            raise EOFError("accepted_mutants has ended early")
        return data

    def text(self):
        return self.bytes(self.number())

    def entry(self):
        name, dtype = self.text(), self.text().decode()
        shape = tuple(self.number(8) for _ in range(self.number()))
        return Entry(name, dtype, shape, [self.text() for _ in range(self.number())])

    def __iter__(self):
        """Yields each file with its entries, and at the end the numbers of files."""
        while (size := self.number()) != 0xffffffff:
            file = self.bytes(size)
            yield file, [self.entry() for _ in range(self.number())]
        yield None, json.loads(self.text())


def expect(condition, *text):
    if not condition:
        raise Difference(" ".join(map(str, text)))


def compare_array(entry, array):
    """Compares an entry with an array of NumPy."""
    expect(array.dtype.newbyteorder("=") == numpy.dtype(entry.dtype), "dtype", array.dtype)
    expect(array.shape == entry.shape, "shape", array.shape)
    little = array.astype(array.dtype.newbyteorder("<"), order="C")
    theirs = little.tobytes()
    if theirs == entry.parts[0]:
        return
    if entry.dtype == "bool":
        ones = little.view(numpy.uint8).astype(bool).tobytes()
        if ones == entry.parts[0]:
            raise Difference("other bytes", "a bool is 1 for any other byte than 0")
    raise Difference(f"values {array!r}")


# NumPy.

class NonePickle(pickle.Unpickler):
    """Knows the names that a pickled array of None needs, and no others."""

    def find_class(self, module, name):
        names = {"_reconstruct": numpy.core.multiarray._reconstruct,
                 "ndarray": numpy.ndarray, "dtype": numpy.dtype}
        if module.split(".")[0] != "numpy" or name not in names:
            raise pickle.UnpicklingError(f"{module}.{name}")
        return names[name]


def compare_text(entry, array):
    expect(array.dtype.kind in "US" and array.shape == entry.shape, array.dtype, array.shape)
    texts = [text.encode() if array.dtype.kind == "U" else bytes(text)
             for text in array.flat]
    expect(texts == entry.parts, "texts", texts)


def compare_npy(file, entries):
    entry, = entries
    if entry.dtype == "none":
        stream = io.BytesIO(file)
        version = numpy.lib.format.read_magic(stream)
        # NumPy 2 has the function for all versions in another place.
        formats = getattr(numpy.lib, "_format_impl", numpy.lib.format)
        formats._read_array_header(stream, version)
        array = NonePickle(stream).load()
        expect(array.shape == () and array[()] is None, "not None:", array)
        return
    array = numpy.load(io.BytesIO(file), allow_pickle=False)
    (compare_text if entry.dtype == "text" else compare_array)(entry, array)


def compare_npz(file, entries):
    with numpy.load(io.BytesIO(file), allow_pickle=False) as archive:
        # As bytes: without a flag, names are in code page 437.
        names = {}
        for info in archive.zip.infolist():
            name = info.filename.encode("utf-8" if info.flag_bits & 0x800 else "cp437")
            if not (name.endswith(b"/") and info.file_size == 0):
                names[name] = info
        expect(sorted(names) == sorted(entry.name + b".npy" for entry in entries),
               "names", sorted(names))
        for entry in entries:
            with archive.zip.open(names[entry.name + b".npy"]) as member:
                compare_npy(member.read(), [entry])


# HDF5.

def compare_hdf5_text(entry, data):
    """Compares a text with a dataset of one element."""
    value = data[()]
    value = bytes(value if isinstance(value, bytes) else value.reshape(-1)[0])
    ours, = entry.parts
    if value == ours:
        return
    kind = data.id.get_type()
    if not kind.is_variable_str():
        if kind.get_strpad() == h5py.h5t.STR_NULLTERM and value.split(b"\0")[0] == ours:
            raise Difference("zero", "a text of fixed length that a zero ends")
        if kind.get_strpad() == h5py.h5t.STR_SPACEPAD and value.rstrip(b" ") == ours:
            raise Difference("spaces", "a text of fixed length that spaces fill")
    raise Difference(f"text {value!r}")


def open_hdf5(opened, name):
    """The dataset of a name."""
    try:
        return opened[name]
    except KeyError as error:
        # Versions that no release writes are refused by catena.
        if "bad version number for datatype message" in str(error):
            raise Difference(str(error), "a datatype of version 4 or 5") from None
        if "bad version number for layout message" in str(error):
            raise Difference(str(error), "a layout of version 5") from None
        raise


def compare_hdf5(file, entries):
    opened = h5py.File(h5py.h5f.open_file_image(file), "r")
    try:
        for entry in entries:
            data = open_hdf5(opened, entry.name)
            expect(isinstance(data, h5py.Dataset), "not a dataset:", data)
            if entry.dtype == "none":
                expect(data.shape is None, "shape", data.shape)
            elif entry.dtype == "text":
                compare_hdf5_text(entry, data)
            else:
                compare_array(entry, data[()])
    finally:
        # Looks at what nobody has asked for.
        with contextlib.suppress(Exception):
            opened.close()


# Safetensors, as https://github.com/huggingface/safetensors describes it.

BYTES = {"BOOL": 1, "U8": 1, "I8": 1, "I16": 2, "U16": 2, "F16": 2, "BF16": 2, "I32": 4,
         "U32": 4, "F32": 4, "F64": 8, "I64": 8, "U64": 8}


def unique(pairs):
    """A dict of pairs with different names."""
    names = dict(pairs)
    if len(names) < len(pairs):
        raise ValueError("two entries of one name")
    return names


def read_safetensors(file):
    """Returns the metadata, and for each array its dtype, shape and bytes."""
    size, = struct.unpack("<Q", file[:8])
    header, data = file[8:8 + size], file[8 + size:]
    if len(header) < size or not header.startswith(b"{"):
        raise ValueError("header")
    entries = json.loads(header.decode(), object_pairs_hook=unique)
    metadata = entries.pop("__metadata__", {})
    if not all(isinstance(text, str) for text in metadata.values()):
        raise ValueError("metadata")
    end = 0
    arrays = {}
    for name, entry in sorted(entries.items(), key=lambda item: item[1]["data_offsets"]):
        shape, (start, stop) = entry["shape"], entry["data_offsets"]
        if any(type(number) is not int or number < 0 for number in [*shape, start, stop]):
            raise ValueError("number")
        size = BYTES[entry["dtype"]]
        for extent in shape:
            size *= extent
        if start != end or stop - start != size:
            raise ValueError("offsets")
        arrays[name] = entry["dtype"], tuple(shape), data[start:stop]
        end = stop
    if end != len(data):
        raise ValueError("bytes behind the arrays")
    return metadata, arrays


def compare_safetensors(file, entries):
    metadata, arrays = read_safetensors(file)
    kinds = {"B": "bool", "U": "uint", "I": "int", "F": "float"}
    ours = [entry for entry in entries if entry.dtype != "text"]
    expect(sorted(arrays) == sorted(entry.name.decode() for entry in ours),
           "names", sorted(arrays))
    for entry in ours:
        dtype, shape, data = arrays[entry.name.decode()]
        name = {"BOOL": "bool", "BF16": "bfloat16"}.get(
            dtype, kinds[dtype[0]] + dtype[1:])
        expect((name, shape) == (entry.dtype, entry.shape), dtype, shape)
        expect(data == entry.parts[0], "values", data)
    for entry in entries:
        if entry.dtype == "text":
            text = metadata.get("text:" + entry.name.decode())
            expect(text is not None and text.encode() == entry.parts[0], "text", text)


# IDX, as http://yann.lecun.com/exdb/mnist describes it.

def compare_idx(file, entries):
    entry, = entries
    if file.startswith(b"\x1f\x8b"):
        file = gzip.decompress(file)
    zeros, code, axes = struct.unpack(">HBB", file[:4])
    dtype = {8: "u1", 9: "i1", 11: ">i2", 12: ">i4", 13: ">f4", 14: ">f8"}[code]
    shape = struct.unpack(f">{axes}I", file[4:4 + 4 * axes])
    expect(zeros == 0, "zeros", zeros)
    compare_array(entry, numpy.frombuffer(file[4 + 4 * axes:], dtype).reshape(shape))


# Each format: what compares it, and the modules that this needs.
FORMATS = {
    "npy": (compare_npy, {"NumPy": numpy}),
    "npz": (compare_npz, {"NumPy": numpy}),
    "hdf5": (compare_hdf5, {"h5py": h5py}),
    "safetensors": (compare_safetensors, {}),
    "idx": (compare_idx, {"NumPy": numpy}),
}


def difference(compare, file, entries):
    """The name of a difference, empty if it has none, and a text; None if there is none."""
    try:
        compare(file, entries)
    except Difference as found:
        return found.name, str(found)
    except Exception as error:  # whatever the other reader throws
        return "", f"refused: {type(error).__name__}: {error}"
    return None


class Worker:
    """Compares in a process of its own, which a file may crash or stop."""

    SECONDS, BYTES = 20, 4 << 30

    def __init__(self, compare):
        self._compare = compare
        self._process = None

    def _start(self):
        ours, theirs = multiprocessing.Pipe()
        self._process = multiprocessing.Process(target=self._run, args=(theirs,), daemon=True)
        self._process.start()
        theirs.close()
        self._pipe = ours

    def _run(self, pipe):
        resource.setrlimit(resource.RLIMIT_AS, (self.BYTES, self.BYTES))
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        # What crashes says so at length.
        os.dup2(os.open(os.devnull, os.O_WRONLY), 2)
        while True:
            pipe.send(difference(self._compare, *pipe.recv()))

    def difference(self, file, entries):
        """As the function; "crash" or "hang" when the process was lost."""
        if self._process is None:
            self._start()
        try:
            self._pipe.send((file, entries))
            if self._pipe.poll(self.SECONDS):
                return self._pipe.recv()
            lost = "hang"
        except (EOFError, OSError):
            lost = "crash"
        self._process.kill()
        self._process.join()
        self._process = None
        return lost, f"{lost} of the other reader"


class Report:
    """What came of the files of one format."""

    def __init__(self, name, folder):
        self.name = name
        self.folder = folder
        self.known = collections.Counter()
        self.lost = collections.Counter()
        self.unknown = collections.Counter()

    def add(self, found, file, entries):
        name, text = found
        if name in ("crash", "hang"):
            self.lost[name] += 1
            path = self.folder / f"{self.name}_{name}_{self.lost[name]}"
            path.write_bytes(file)
        elif name in KNOWN:
            self.known[name] += 1
        else:
            kind = text.split(":")[0] if not text.startswith("refused") else text[:90]
            self.unknown[kind] += 1
            # A few of each kind say enough.
            if self.unknown[kind] > 3:
                return
            path = self.folder / f"{self.name}_{sum(self.unknown.values())}"
            path.write_bytes(file)
            ours = [entry._replace(parts=[part[:40] for part in entry.parts[:8]])
                    for entry in entries[:8]]
            print(f"{path}: catena reads {ours}, the other reader: {text[:200]}", flush=True)

    def print(self, numbers, seconds):
        tried, accepted = numbers["tried"], numbers["accepted"]
        print(f"{self.name}: {tried} files made from {numbers['seeds']}, {accepted} accepted, "
              f"{tried - accepted} refused, {numbers['readings']} different contents, "
              f"{sum(self.unknown.values())} differences, {seconds:.0f} s")
        for kind, count in self.unknown.most_common():
            print(f"  {count} with: {kind}")
        for name, count in [*self.known.items(), *self.lost.items()]:
            print(f"  {count} with a known difference: {name}" if name in KNOWN else
                  f"  {count}: a {name} of the other reader")
        sys.stdout.flush()


def check(name, count, seed, folder):
    """Compares the files of a format; whether they agree."""
    compare, modules = FORMATS[name]
    missing = [module for module, found in modules.items() if found is None]
    if missing:
        print(f"{name}: skipped: no {missing[0]} for {sys.executable}", flush=True)
        return True
    report = Report(name, folder)
    worker = Worker(compare) if name == "hdf5" else None
    start = time.time()
    with subprocess.Popen([str(PROGRAM), f"--format={name}", f"--count={count}",
                           f"--seed={seed}"], stdout=subprocess.PIPE) as program:
        for file, entries in Frames(program.stdout):
            if file is None:
                report.print(entries, time.time() - start)
                break
            found = (worker.difference(file, entries) if worker else
                     difference(compare, file, entries))
            if found:
                report.add(found, file, entries)
    if program.returncode != 0:
        raise SystemExit(f"accepted_mutants: exit code {program.returncode}")
    return not report.unknown


def whole_number(least):
    """The type of an argument."""
    def parse(text):
        if not text.isdecimal() or int(text) < least:
            raise argparse.ArgumentTypeError(
                f"expected a whole number from {least} on, got '{text}'")
        return int(text)
    return parse


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0], allow_abbrev=False)
    parser.add_argument("--formats", default=",".join(FORMATS), help="separated by commas")
    parser.add_argument("--count", type=whole_number(1), default=2000,
                        help="accepted files of each")
    parser.add_argument("--seed", type=whole_number(0), default=1)
    arguments = parser.parse_args()
    names = arguments.formats.split(",")
    for name in names:
        if name not in FORMATS:
            parser.error(f"expected formats of {', '.join(FORMATS)}, got '{name}'")
    folder = pathlib.Path(tempfile.mkdtemp(prefix="read_again_"))
    agree = [check(name, arguments.count, arguments.seed, folder) for name in names]
    if not any(folder.iterdir()):
        folder.rmdir()
    sys.exit(0 if all(agree) else 1)


if __name__ == "__main__":
    main()
