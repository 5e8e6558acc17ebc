#pragma once

#include <gtest/gtest.h>

#include <random>
#include <string>

#include "catena/array/core/error.h"

namespace catena::testing {

// Checks that read(bytes) returns or throws only IoError for `count` variants
// of a valid file, each with some bytes changed, removed or inserted, and that
// it rejects some of them.
template <class Read>
void expect_no_harm_by_mutations(const std::string& good, Read read,
                                 int count = 1000) {
  std::mt19937 random(20240501);
  int accepted = 0;
  for (int i = 0; i < count; ++i) {
    std::string bytes = good;
    const int changes = 1 + static_cast<int>(random() % 4);
    for (int k = 0; k < changes && !bytes.empty(); ++k) {
      const size_t at = random() % bytes.size();
      switch (random() % 4) {
        case 0:
          bytes[at] = static_cast<char>(random());
          break;
        case 1:
          bytes.erase(at, random() % 8);
          break;
        case 2:
          bytes.insert(at, 1, static_cast<char>(random()));
          break;
        case 3:
          bytes[at] ^= static_cast<char>(1 << random() % 8);
          break;
      }
    }
    try {
      read(bytes);
      ++accepted;
    } catch (const IoError&) {
    }
  }
  EXPECT_LT(accepted, count);
}

// Checks that read(bytes) throws IoError for every truncation of a valid file.
template <class Read>
void expect_truncations_are_refused(const std::string& good, Read read) {
  for (size_t size = 0; size < good.size(); ++size) {
    EXPECT_THROW(read(good.substr(0, size)), IoError) << size << " bytes";
  }
}

}  // namespace catena::testing
