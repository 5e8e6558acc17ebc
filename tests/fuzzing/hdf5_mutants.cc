// HDF5 files.

#include <memory>
#include <set>
#include <utility>
#include <variant>

#include "catena/array/core/error.h"
#include "catena/serializers/hdf5_reader.h"
#include "catena/serializers/testing/hdf5_mend.h"
#include "catena/serializers/testing/hdf5_words.h"
#include "catena/tests/fuzzing/mutant_format.h"
#include "catena/tests/support/memory_file.h"

namespace catena::testing {
namespace {

using serializers::Hdf5Reader;
using serializers::Hdf5Structures;

std::span<const uint8_t> as_bytes(const std::string& file) {
  return {reinterpret_cast<const uint8_t*>(file.data()), file.size()};
}

// Whether looking for something in an object finds its header.
bool has_header(const Hdf5Reader& reader, const std::string& key) try {
  reader.read(key + "/\x01");
  return true;
} catch (const IoError&) {
  return false;
}

// Reads what has these names in a group, and in the groups in it.
void read_group(const Hdf5Reader& reader, const std::string& group, int depth,
                const std::set<std::string>& words,
                std::vector<ReadEntry>& entries) {
  for (const std::string& word : words) {
    const std::string key = group + word;
    try {
      auto value = reader.read(key);
      if (!value) continue;
      if (auto* array = std::get_if<Array>(&*value)) {
        entries.push_back(entry_of(key, *array));
      } else if (auto* text = std::get_if<std::string>(&*value)) {
        entries.push_back(entry_of(key, std::move(*text)));
      } else {
        entries.push_back({key, "none"});
      }
    } catch (const IoError&) {
      // A group, or a damaged dataset.
      if (depth > 0 && has_header(reader, key)) {
        read_group(reader, key + "/", depth - 1, words, entries);
      }
    }
  }
}

// One damaged dataset leaves the others as they are, so that a file is accepted
// if any is read.
Reading read_hdf5_mutant(const std::string& file) try {
  static const MemoryFile& memory = *new MemoryFile;
  const std::string path =
      memory.with(reinterpret_cast<const uint8_t*>(file.data()), file.size());
  const Hdf5Reader reader(path, kMutantLimits);
  std::vector<ReadEntry> entries;
  constexpr size_t kMaxWords = 64;
  read_group(reader, "", 2, serializers::words_of(file, kMaxWords), entries);
  if (entries.empty()) return std::nullopt;
  return entries;
} catch (const IoError&) {
  return std::nullopt;
}

Mend mend_hdf5_like(const std::string& file) {
  const auto structures = std::make_shared<Hdf5Structures>(as_bytes(file));
  return
      [structures](std::span<uint8_t> changed) { structures->mend(changed); };
}

// Changes elements of an array that stand in the file as they are read.
void change_elements(Mutator& mutator, std::string& file) {
  const Reading reading = read_hdf5_mutant(file);
  if (!reading) return;
  const ReadEntry entry = mutator.one_of(*reading);
  if (entry.parts.empty() || entry.parts[0].size() < 2) return;
  const std::string& part = entry.parts[0];
  const size_t at = file.find(part);
  if (at == std::string::npos) return;
  for (size_t left = 1 + mutator.below(4); left > 0; --left) {
    file[at + mutator.below(part.size())] = mutator.byte();
  }
}

// Changes elements, or bytes behind a signature: there is what describes them.
std::string arranged_hdf5(Mutator& mutator, const std::string& file) {
  constexpr size_t kNear = 96;
  std::string made = file;
  if (mutator.one_in(2)) {
    change_elements(mutator, made);
    return made;
  }
  std::vector<size_t> places;
  for (const char* signature :
       {"OHDR", "OCHK", "BTHD", "BTLF", "FRHP", "FHDB", "FAHD", "FADB", "EAHD",
        "EAIB", "EADB", "TREE", "SNOD", "HEAP", "GCOL"}) {
    for (size_t at = made.find(signature); at != std::string::npos;
         at = made.find(signature, at + 1)) {
      places.push_back(at);
    }
  }
  if (places.empty()) return file;
  const size_t at = mutator.one_of(places) + 4 + mutator.below(kNear);
  if (at >= made.size()) return file;
  if (mutator.one_in(2)) {
    made[at] = static_cast<char>(made[at] ^ 1 << mutator.below(8));
  } else {
    made[at] = static_cast<char>(mutator.unusual_number());
  }
  return made;
}

}  // namespace

MutantFormat hdf5_mutants() {
  return {.name = "hdf5",
          .seeds =
              [] {
                return seed_files({"serializers/fuzz_corpus/hdf5",
                                   "serializers/fuzz_corpus/hdf5.zip"},
                                  ".h5", 8192);
              },
          .words = {"OHDR", "OCHK", "TREE", "SNOD", "HEAP", "FRHP", "FHDB",
                    "BTHD", "BTLF", "GCOL", "FAHD", "EAHD"},
          .arranged = arranged_hdf5,
          .mend_of = mend_hdf5_like,
          .read = read_hdf5_mutant};
}

}  // namespace catena::testing
