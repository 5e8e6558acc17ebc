#include "catena/tests/fuzzing/mutant_format.h"

#include <bit>
#include <utility>

#include "catena/array/core/error.h"
#include "catena/array/io/byte_source.h"
#include "catena/array/io/zip_reader.h"
#include "catena/tests/support/runfiles.h"
#include "catena/tests/testing/temp_folder.h"

namespace catena::testing {
namespace {

static_assert(std::endian::native == std::endian::little,
              "elements are passed on as they are");

// Inputs that fuzzing has found.
void add_members(const std::string& path, size_t most,
                 std::vector<std::string>& files) {
  const array::ZipReader archive(
      array::ByteSource::open(path, "seed_files", {}), {});
  for (const array::ZipMember& member : archive.members()) {
    if (static_cast<size_t>(member.uncompressed) > most) continue;
    std::string bytes(static_cast<size_t>(member.uncompressed), '\0');
    archive.open(member)->read(bytes);
    files.push_back(std::move(bytes));
  }
}

}  // namespace

ReadEntry entry_of(std::string name, const Array& array) {
  const Array c_order = array.contiguous();
  return {
      std::move(name),
      str(array.dtype()),
      {array.shape().begin(), array.shape().end()},
      {std::string(c_order.raw_data(), static_cast<size_t>(c_order.nbytes()))}};
}

ReadEntry entry_of(std::string name, std::string text) {
  return {std::move(name), "text", {}, {std::move(text)}};
}

std::vector<std::string> seed_files(const std::vector<std::string>& paths,
                                    std::string_view suffix, size_t most) {
  std::vector<std::string> files;
  for (const std::string& path : paths) {
    if (path.ends_with(".zip")) {
      add_members(runfile(path), most, files);
      continue;
    }
    for (const std::string& name : runfile_names(path, "", suffix)) {
      std::string bytes = read_file(runfile(path + "/" + name));
      if (bytes.size() <= most) files.push_back(std::move(bytes));
    }
  }
  return files;
}

const std::vector<MutantFormat>& mutant_formats() {
  static const auto& formats = *new std::vector<MutantFormat>{
      npy_mutants(), npz_mutants(), hdf5_mutants(), safetensors_mutants(),
      idx_mutants()};
  return formats;
}

}  // namespace catena::testing
