// IDX files, the format of MNIST.

#include <array>
#include <utility>

#include "catena/array/core/error.h"
#include "catena/dataset/idx.h"
#include "catena/tests/fuzzing/mend.h"
#include "catena/tests/fuzzing/mutant_format.h"
#include "catena/tests/support/gzip.h"
#include "catena/tests/support/memory_file.h"

namespace catena::testing {
namespace {

// Up to three axes; compressed or not. The data is `file`, again and again.
std::string arranged_idx(Mutator& mutator, const std::string& file) {
  if (mutator.one_in(4)) return file;
  constexpr std::array<std::pair<char, size_t>, 6> kItems = {
      {{8, 1}, {9, 1}, {11, 2}, {12, 4}, {13, 4}, {14, 8}}};
  const auto [code, item_bytes] = mutator.one_of(kItems);
  const size_t axes = 1 + mutator.below(3);
  std::string made = {'\0', '\0', code, static_cast<char>(axes)};
  size_t bytes = item_bytes;
  for (size_t i = 0; i < axes; ++i) {
    const size_t extent = mutator.below(6);
    made += {'\0', '\0', '\0', static_cast<char>(extent)};
    bytes *= extent;
  }
  for (size_t i = 0; i < bytes; ++i) {
    made += file.empty() ? 'x' : file[file.size() - 1 - i % file.size()];
  }
  return mutator.one_in(4) ? gzip(made) : made;
}

Reading read_idx_mutant(const std::string& file) try {
  static const MemoryFile& memory = *new MemoryFile;
  const std::string path =
      memory.with(reinterpret_cast<const uint8_t*>(file.data()), file.size());
  return {{entry_of("", dataset::read_idx(path, kMutantLimits))}};
} catch (const IoError&) {
  return std::nullopt;
}

}  // namespace

MutantFormat idx_mutants() {
  return {.name = "idx",
          .seeds =
              [] {
                return seed_files(
                    {"dataset/fuzz_corpus/idx", "dataset/fuzz_corpus/idx.zip"},
                    "", 4096);
              },
          .words = {std::string("\0\0\x08\1", 4), std::string("\0\0\x0d\2", 4)},
          .arranged = arranged_idx,
          .mend_of = [](const std::string&) -> Mend { return mend_gzip; },
          .read = read_idx_mutant};
}

}  // namespace catena::testing
