// Files of NumPy: .npy, and .npz, which are ZIP archives of them.

#include <array>
#include <iterator>
#include <utility>

#include "catena/array/core/error.h"
#include "catena/array/io/byte_sink.h"
#include "catena/array/io/byte_source.h"
#include "catena/array/io/npy.h"
#include "catena/array/io/npz.h"
#include "catena/array/io/zip_writer.h"
#include "catena/tests/fuzzing/mend.h"
#include "catena/tests/fuzzing/mutant_format.h"

namespace catena::testing {
namespace {

constexpr std::string_view kMagic = "\x93NUMPY";

struct Item {
  std::string_view descr;
  size_t bytes;
};
constexpr std::array<Item, 25> kItems = {{
    {"|b1", 1}, {"|i1", 1}, {"|u1", 1}, {"<i2", 2}, {">i2", 2},
    {"<u2", 2}, {">u2", 2}, {"<i4", 4}, {">i4", 4}, {"<u4", 4},
    {">u4", 4}, {"<i8", 8}, {">i8", 8}, {"<u8", 8}, {">u8", 8},
    {"<f2", 2}, {">f2", 2}, {"<f4", 4}, {">f4", 4}, {"<f8", 8},
    {">f8", 8}, {"<U2", 8}, {">U1", 4}, {"|S3", 3}, {"=f4", 4},
}};

std::string spaces(Mutator& mutator) {
  std::string text;
  while (mutator.one_in(3)) text += mutator.one_of(std::string(" \t\r\n"));
  return text;
}

// A header as NumPy, or another program, may write it, and data for it: what
// `file` has behind its header, again and again.
std::string arranged_npy(Mutator& mutator, const std::string& file) {
  const Item item = mutator.one_of(kItems);
  const bool is_tidy = mutator.one_in(2);
  const auto gap = [&] { return is_tidy ? std::string(" ") : spaces(mutator); };
  size_t size = 1;
  std::string shape;
  const size_t axes = mutator.below(5);
  for (size_t i = 0; i < axes; ++i) {
    const size_t extent = mutator.below(5);
    size *= extent;
    shape += str(extent, !is_tidy && mutator.one_in(8) ? "L" : "");
    if (i + 1 < axes || axes == 1) shape += "," + gap();
  }
  std::array<std::string, 3> fields = {
      str("'descr':", gap(), "'", item.descr, "'"),
      str("'fortran_order':", gap(), mutator.one_in(3) ? "True" : "False"),
      str("'shape':", gap(), "(", shape, ")")};
  if (!is_tidy) std::swap(fields[mutator.below(3)], fields[mutator.below(3)]);
  std::string header = "{";
  for (const std::string& field : fields) header += field + "," + gap();
  header += "}" + gap() + "\n";
  const size_t version = is_tidy ? 1 : 1 + mutator.below(3);
  std::string made = std::string(kMagic) + static_cast<char>(version) + '\0';
  for (size_t i = 0; i < (version == 1 ? 2 : 4); ++i) {
    made += static_cast<char>(header.size() >> 8 * i);
  }
  made += header;
  const size_t line = file.find('\n');
  std::string data = line == std::string::npos ? file : file.substr(line + 1);
  if (data.empty()) data = std::string(1, '\0');
  for (size_t i = 0; i < size * item.bytes; ++i) {
    // Most characters of four random bytes would be beyond Unicode.
    const bool is_unicode = item.descr[1] == 'U';
    made += is_unicode ? (i % 4 == (item.descr[0] == '<' ? 0 : 3)
                              ? static_cast<char>('a' + mutator.below(26))
                              : '\0')
                       : data[i % data.size()];
  }
  return made;
}

std::string mostly_arranged_npy(Mutator& mutator, const std::string& file) {
  return mutator.one_in(2) ? arranged_npy(mutator, file) : file;
}

ReadEntry entry_of_value(std::string name, const array::NpyValue& value) {
  if (value.is_none()) return {std::move(name), "none"};
  if (value.is_array()) return entry_of(std::move(name), value.array());
  const array::NpyString& text = value.strings();
  return {std::move(name),
          "text",
          {text.shape.begin(), text.shape.end()},
          text.values};
}

Reading read_npy_mutant(const std::string& file) try {
  const auto source = array::ByteSource::of_memory(file, "read_npy");
  array::SourceStream stream(source);
  return {{entry_of_value("", array::read_npy(stream, kMutantLimits))}};
} catch (const IoError&) {
  return std::nullopt;
}

// An archive of one to four arrays, with the names that archives have.
std::string arranged_npz(Mutator& mutator, const std::string& file) {
  if (mutator.one_in(3)) return file;
  constexpr std::array<std::string_view, 8> kNames = {
      "arr_0", "W", "predictor/l1/W", "t", "a.npy", "x y", "h\xc3\xa9llo", "-"};
  // Some with numbers of 64 bits.
  const int64_t zip64_from =
      mutator.one_in(4) ? 0 : static_cast<int64_t>(array::kZipIn64);
  std::string made;
  array::StringSink sink(&made);
  array::ZipWriter archive(sink, zip64_from);
  const size_t first = mutator.below(kNames.size());
  const size_t count = 1 + mutator.below(4);
  for (size_t i = 0; i < count; ++i) {
    const std::string name(kNames[(first + i) % kNames.size()]);
    archive.begin_member(name + ".npy", static_cast<int>(mutator.below(2) * 6))
        .write(arranged_npy(mutator, file));
    archive.end_member();
  }
  archive.finish();
  return made;
}

Reading read_npz_mutant(const std::string& file) try {
  const auto reader = array::NpzReader::from_bytes(file, kMutantLimits);
  std::vector<ReadEntry> entries;
  for (const std::string& key : reader.keys()) {
    entries.push_back(entry_of_value(key, reader.read(key)));
  }
  return entries;
} catch (const IoError&) {
  return std::nullopt;
}

}  // namespace

MutantFormat npy_mutants() {
  return {.name = "npy",
          .seeds =
              [] {
                return seed_files(
                    {"tests/golden/array/npy", "array/io/fuzz_corpus/npy.zip"},
                    ".npy", 4096);
              },
          .words = {"'descr'", "'fortran_order'",
                    "'shape'", "True",
                    "False",   "'<f4'",
                    "'>i8'",   "'|b1'",
                    "'<U1'",   "'|S2'",
                    "'|O'",    "(2,)",
                    "()",      "(3, 2)",
                    ", ",      "L",
                    "\n",      "#",
                    "\\",      "_",
                    "+",       "0x"},
          .arranged = mostly_arranged_npy,
          .mend_of = [](const std::string&) -> Mend { return mend_npy; },
          .read = read_npy_mutant};
}

MutantFormat npz_mutants() {
  return {.name = "npz",
          .seeds =
              [] {
                return seed_files(
                    {"tests/golden/serializers", "array/io/fuzz_corpus/npz.zip",
                     "serializers/fuzz_corpus/npz.zip",
                     "serializers/fuzz_corpus/npz"},
                    ".npz", 4096);
              },
          .words = {"PK\3\4", "PK\1\2", "PK\5\6", "PK\6\6", "PK\6\7", ".npy",
                    "../", "/", "\\", "<f4", "True", "(2,)"},
          .arranged = arranged_npz,
          .mend_of = [](const std::string&) -> Mend { return mend_zip; },
          .read = read_npz_mutant};
}

}  // namespace catena::testing
