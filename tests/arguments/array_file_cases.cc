// Files: positions, rows and columns.

#include "catena/array/all.h"
#include "catena/tests/arguments/cases.h"
#include "catena/tests/arguments/small_inputs.h"
#include "catena/tests/testing/temp_folder.h"

namespace catena::testing {
namespace {

const TempFolder& folder() {
  static const TempFolder folder;
  return folder;
}

const std::string& table() {
  static const std::string path = [] {
    const std::string name = folder().file("table.txt");
    write_file(name, "1 2 3\n4 5 6\n");
    return name;
  }();
  return path;
}

array::ByteSource source() {
  static const std::string bytes = "some bytes";
  return array::ByteSource::of_memory(bytes, "source");
}

}  // namespace

ArgumentCases array_file_cases() {
  using namespace array;  // NOLINT: each name would have it
  return {
      {"array::AtomicFile::overwrite", "offset",
       [](int64_t n) {
         AtomicFile file(folder().file("a"), "test");
         file.write(std::string_view("bytes"));
         file.overwrite(n, std::string_view("b"));
       }},
      {"array::AtomicFile::read", "offset",
       [](int64_t n) {
         AtomicFile file(folder().file("a"), "test");
         file.write(std::string_view("bytes"));
         char byte = 0;
         file.read(n, {&byte, 1});
       }},
      {"array::StringSink::overwrite", "offset",
       [](int64_t n) {
         std::string text = "bytes";
         StringSink(&text).overwrite(n, std::string_view("b"));
       }},
      {"array::ByteSource::map", "offset",
       [](int64_t n) { source().map(n, 1); }},
      {"array::ByteSource::map", "count",
       [](int64_t n) { source().map(1, n); }},
      {"array::ByteSource::read", "offset",
       [](int64_t n) {
         char byte = 0;
         source().read(n, {&byte, 1});
       }},
      {"array::NpyString", "shape",
       [](const Shape& shape) {
         savez(folder().file("a.npz"),
               {{"text", NpyString(shape, {"a", "b"})}});
       }},
      {"array::NpyWriter", "row_shape",
       [](const Shape& shape) {
         NpyWriter writer(folder().file("a.npy"), Dtype::kFloat32, shape);
         writer.write(floats({1, 2}));
         writer.commit();
       }},
      {"array::loadtxt", "skip_rows",
       [](int64_t n) { return loadtxt(table(), {.skip_rows = n}); }},
      {"array::loadtxt", "max_rows",
       [](int64_t n) { return loadtxt(table(), {.max_rows = n}); }},
      {"array::loadtxt", "columns",
       [](int64_t n) {
         return loadtxt(table(), {.columns = {0, n}});
       }},
      {"array::loadtxt", "min_dims",
       [](int64_t n) {
         return loadtxt(table(), {.min_dims = static_cast<int>(n)});
       }},
      {"array::read_table", "skip_rows",
       [](int64_t n) { read_table(table(), {.skip_rows = n}); }},
  };
}

}  // namespace catena::testing
