#pragma once

#include <cstddef>
#include <cstdint>
#include <random>
#include <string>
#include <string_view>
#include <vector>

namespace catena::testing {

// Damages files at random. The same calls make the same changes after the same
// seed.
class Mutator {
 public:
  // `words` stand in the format's files: names, signatures, keywords.
  explicit Mutator(uint64_t seed, std::vector<std::string> words = {})
      : random_(seed), words_(std::move(words)) {}

  // A file with 1 to 4 changes: bits, bytes, numbers in binary or as text,
  // words, and ranges that are removed, repeated, or taken from `other`.
  std::string changed(std::string file, const std::string& other);

  // A number from 0 to count - 1.
  size_t below(size_t count) { return random_() % count; }
  bool one_in(size_t count) { return below(count) == 0; }
  char byte() { return static_cast<char>(random_()); }
  template <class List>
  auto one_of(const List& list) {
    return list[below(list.size())];
  }
  // A number at which programs go wrong.
  uint64_t unusual_number();

 private:
  void change(std::string& bytes, const std::string& other);
  std::string part_of(const std::string& bytes);
  void change_number(std::string& bytes, size_t at);
  void change_digits(std::string& bytes, size_t at);
  // In place of as many bytes or between bytes.
  void put(std::string& bytes, size_t at, std::string_view part);

  std::mt19937_64 random_;
  std::vector<std::string> words_;
};

}  // namespace catena::testing
