#include "catena/array/core/memory_errors.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <new>

#include "catena/array/core/error.h"

namespace catena {
namespace {

TEST(MemoryErrorsTest, WhatTheLibraryThrowsNamesTheOperation) {
  EXPECT_THAT(
      [] {
        with_memory_errors("load", []() -> int { throw std::bad_alloc(); });
      },
      ::testing::ThrowsMessage<OutOfMemoryError>(
          "load: the system has no more memory"));
}

TEST(MemoryErrorsTest, ResultsAndOtherErrorsPass) {
  int number = 3;
  int& same = with_memory_errors("load", [&]() -> int& { return number; });
  EXPECT_EQ(&same, &number);
  EXPECT_THROW(with_memory_errors("load", [] { raise<IoError>("damaged"); }),
               IoError);
}

}  // namespace
}  // namespace catena
