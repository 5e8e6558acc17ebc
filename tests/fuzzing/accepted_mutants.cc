// Writes damaged files that a reader of ours accepts, and what it read, to
// standard output, for read_again.py to compare.
//
//   accepted_mutants --format=npy --count=100000 --seed=1
//
// For each file: its bytes and the number of its entries; for each entry: name,
// dtype, the number of axes, the extents, the number of parts, the parts. Bytes
// and texts have their length in front. Numbers are unsigned, little endian and
// of 32 bits, extents of 64. The end is a length of 2^32 - 1, and a text in
// JSON with the numbers of files.

#include <malloc.h>

#include <concepts>
#include <cstdint>
#include <cstdio>
#include <functional>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <unordered_set>
#include <utility>
#include <vector>

#include "catena/array/core/error.h"
#include "catena/tests/fuzzing/mutant_format.h"
#include "catena/tests/support/arguments.h"
#include "catena/tests/support/mutator.h"

namespace catena::testing {
namespace {

template <std::unsigned_integral T>
void append(std::string& to, T number) {
  for (size_t i = 0; i < sizeof number; ++i) {
    to += static_cast<char>(number >> 8 * i);
  }
}

void append(std::string& to, std::string_view bytes) {
  append(to, static_cast<uint32_t>(bytes.size()));
  to += bytes;
}

std::string encoded(const std::vector<ReadEntry>& entries) {
  std::string bytes;
  append(bytes, static_cast<uint32_t>(entries.size()));
  for (const ReadEntry& entry : entries) {
    append(bytes, entry.name);
    append(bytes, entry.dtype);
    append(bytes, static_cast<uint32_t>(entry.shape.size()));
    for (const int64_t extent : entry.shape) {
      append(bytes, static_cast<uint64_t>(extent));
    }
    append(bytes, static_cast<uint32_t>(entry.parts.size()));
    for (const std::string& part : entry.parts) append(bytes, part);
  }
  return bytes;
}

void write(std::string_view bytes) {
  if (std::fwrite(bytes.data(), 1, bytes.size(), stdout) != bytes.size()) {
    raise<IoError>("accepted_mutants: cannot write");
  }
}

// A file to make others from.
struct Parent {
  explicit Parent(const MutantFormat& format, std::string file)
      : file(std::move(file)), mend(format.mend_of(this->file)) {}
  std::string file;
  Mend mend;
};

std::string mutant_of(Mutator& mutator, const MutantFormat& format,
                      const Parent& parent, const std::string& other) {
  std::string file = format.arranged(mutator, parent.file);
  if (!mutator.one_in(8)) file = mutator.changed(std::move(file), other);
  // Three of four, as when fuzzing.
  if (!mutator.one_in(4)) {
    parent.mend({reinterpret_cast<uint8_t*>(file.data()), file.size()});
  }
  return file;
}

// The good files of the format. Throws IoError if none is.
std::vector<Parent> good_files(const MutantFormat& format) {
  std::vector<Parent> files;
  for (std::string& file : format.seeds()) {
    if (format.read(file)) files.emplace_back(format, std::move(file));
  }
  if (files.empty()) {
    raise<IoError>("accepted_mutants: no file of format ", format.name);
  }
  return files;
}

int run(const MutantFormat& format, int64_t count, uint64_t seed) {
  // Some mutants have children of their own.
  constexpr size_t kChildren = 256, kLongest = 16384;
  const std::hash<std::string> hash;
  std::vector<Parent> parents = good_files(format);
  const size_t seeds = parents.size();
  // What has been there, by its hash.
  std::unordered_set<size_t> files, readings;
  for (const Parent& parent : parents) {
    files.insert(hash(parent.file));
    readings.insert(hash(encoded(*format.read(parent.file))));
  }
  const size_t known_readings = readings.size();
  Mutator mutator(seed, format.words);
  int64_t tried = 0, accepted = 0;
  // Where nothing is accepted any more, it must not go on for ever.
  for (const int64_t most = 1000 * count; accepted < count; ++tried) {
    if (tried == most) {
      raise<IoError>("accepted_mutants: of ", tried, " files of format ",
                     format.name, ", only ", accepted, " are accepted");
    }
    const Parent& parent = parents[mutator.below(parents.size())];
    const Parent& other = parents[mutator.below(parents.size())];
    std::string file = mutant_of(mutator, format, parent, other.file);
    if (!files.insert(hash(file)).second) {
      --tried;
      continue;
    }
    const Reading reading = format.read(file);
    if (!reading) continue;
    ++accepted;
    const std::string entries = encoded(*reading);
    readings.insert(hash(entries));
    std::string bytes;
    append(bytes, file);
    write(bytes);
    write(entries);
    if (file.size() > kLongest || !mutator.one_in(8)) continue;
    Parent child(format, std::move(file));
    if (parents.size() < seeds + kChildren) {
      parents.push_back(std::move(child));
    } else {
      parents[seeds + mutator.below(kChildren)] = std::move(child);
    }
  }
  std::string end;
  append(end, UINT32_MAX);
  append(end, nlohmann::json{{"seeds", seeds},
                             {"tried", tried},
                             {"accepted", accepted},
                             {"readings", readings.size() - known_readings}}
                  .dump());
  write(end);
  if (std::fflush(stdout) != 0)
    raise<IoError>("accepted_mutants: cannot write");
  return 0;
}

}  // namespace
}  // namespace catena::testing

int main(int argc, char** argv) {
  using namespace catena::testing;
  // Giving memory back to the system after each file takes most of the time.
  constexpr int kKept = 64 << 20;
  mallopt(M_TRIM_THRESHOLD, kKept);
  mallopt(M_MMAP_THRESHOLD, kKept / 2);
  std::vector<std::string_view> names;
  for (const MutantFormat& format : mutant_formats()) {
    names.push_back(format.name);
  }
  return run_with_numbers(
      argc, argv,
      {{.name = "format", .words = names},
       {.name = "count", .least = 1, .most = 1e9},
       {.name = "seed", .least = 0, .most = 1e15}},
      [](const Numbers& numbers) {
        if (!numbers.contains("format")) {
          throw ArgumentError("expected --format=NAME, got none");
        }
        const auto number = [&](std::string_view name, double usual) {
          const auto found = numbers.find(name);
          return found == numbers.end() ? usual : found->second;
        };
        const auto place = static_cast<size_t>(numbers.at("format"));
        return run(mutant_formats()[place],
                   static_cast<int64_t>(number("count", 1000)),
                   static_cast<uint64_t>(number("seed", 1)));
      });
}
