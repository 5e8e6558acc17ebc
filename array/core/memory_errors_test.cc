#include "catena/array/core/memory_errors.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <new>

#include "catena/array/core/error.h"
#include "catena/tests/testing/error_of.h"

namespace catena {
namespace {

template <class Action>
decltype(auto) load(Action action) try {
  return action();
} catch (const std::bad_alloc&) {
  raise_out_of_memory("load");
}

TEST(MemoryErrorsTest, WhatTheLibraryThrowsNamesTheOperation) {
  EXPECT_THAT(::catena::testing::error_of<OutOfMemoryError>(
                  [] { load([]() -> int { throw std::bad_alloc(); }); }),
              "load: the system has no more memory");
}

TEST(MemoryErrorsTest, ResultsAndOtherErrorsPass) {
  int number = 3;
  int& same = load([&]() -> int& { return number; });
  EXPECT_EQ(&same, &number);
  EXPECT_THROW(load([] { raise<IoError>("damaged"); }), IoError);
}

}  // namespace
}  // namespace catena
