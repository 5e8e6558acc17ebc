#pragma once

#include <gtest/gtest.h>

#include <string>

#include "catena/array/core/error.h"
#include "catena/tests/support/mutator.h"

namespace catena::testing {

// Checks that read(bytes) returns or throws only IoError for `count` damaged
// variants of a valid file, and that it rejects some of them.
template <class Read>
void expect_no_harm_by_mutations(const std::string& good, Read read,
                                 int count = 1000) {
  Mutator mutator(20240501);
  int accepted = 0;
  for (int i = 0; i < count; ++i) {
    try {
      read(mutator.changed(good, good));
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
