#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "catena/array/array.h"
#include "catena/array/io/load_limits.h"
#include "catena/tests/support/mutator.h"

// What accepted_mutants knows of a format.
namespace catena::testing {

// What a reader made of one array, or of another value, in a file.
struct ReadEntry {
  std::string name;
  std::string dtype;  // "float32", or "text", "none"
  std::vector<int64_t> shape = {};
  // The elements in C order and little endian, or each text in UTF-8.
  std::vector<std::string> parts = {};
};
// What it made of a file; nullopt if it refused the file.
using Reading = std::optional<std::vector<ReadEntry>>;

ReadEntry entry_of(std::string name, const Array& array);
ReadEntry entry_of(std::string name, std::string text);

// Enough for every file here, and little enough to try thousands.
inline constexpr LoadLimits kMutantLimits = {
    .members = 1000, .total_bytes = 1 << 22, .array_bytes = 1 << 20};

// Makes a changed file consistent again. See mend.h.
using Mend = std::function<void(std::span<uint8_t>)>;

struct MutantFormat {
  std::string_view name;
  // Good files.
  std::vector<std::string> (*seeds)();
  // What stands in files.
  std::vector<std::string> words;
  // A consistent file of another make, or a good one as it is.
  std::string (*arranged)(Mutator& mutator, const std::string& file);
  // For files that are made from this one.
  Mend (*mend_of)(const std::string& file);
  Reading (*read)(const std::string& file);
};

const std::vector<MutantFormat>& mutant_formats();

// The rows of that table.
MutantFormat npy_mutants();
MutantFormat npz_mutants();
MutantFormat hdf5_mutants();
MutantFormat safetensors_mutants();
MutantFormat idx_mutants();

// The files of these folders of the repository, and the members of their ZIP
// archives of inputs, that end so and have at most `most` bytes.
std::vector<std::string> seed_files(const std::vector<std::string>& paths,
                                    std::string_view suffix, size_t most);

}  // namespace catena::testing
