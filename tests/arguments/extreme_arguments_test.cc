#include "catena/tests/arguments/extreme_arguments.h"

#include <gtest/gtest-spi.h>
#include <gtest/gtest.h>

#include <stdexcept>

#include "catena/array/core/error.h"
#include "catena/array/creation.h"

namespace catena::testing {
namespace {

TEST(ExtremeArgumentsTest, EachKindOfArgumentGetsItsExtremes) {
  static int integers = 0;
  static int shapes = 0;
  static int slices = 0;
  static int arrays = 0;
  expect_results_or_errors({
      {"f", "integer", [](int64_t /*n*/) { ++integers; }},
      {"f", "shape", [](const Shape& /*shape*/) { ++shapes; }},
      {"f", "slice", [](const Slice& /*slice*/) { ++slices; }},
      {"f", "indices", [](const Array& /*indices*/) { ++arrays; }},
  });
  EXPECT_EQ(integers, 7);
  EXPECT_GT(shapes, 49);
  EXPECT_EQ(slices, 8 * 8 * 8);
  EXPECT_EQ(arrays, 7 * 4);
}

TEST(ExtremeArgumentsTest, AnErrorIsAnAnswer) {
  expect_results_or_errors({{"f", "n", [](int64_t n) -> Array {
                               raise<ValueError>("f: expected less, got ", n);
                             }}});
}

TEST(ExtremeArgumentsTest, AnotherExceptionIsNone) {
  EXPECT_NONFATAL_FAILURE(
      expect_results_or_errors({{"f", "n",
                                 [](int64_t n) {
                                   if (n == 0) throw std::length_error("long");
                                 }}}),
      "f: n = 0: expected a result or an Error, got");
}

TEST(ExtremeArgumentsTest, AnErrorHasAMessage) {
  EXPECT_NONFATAL_FAILURE(expect_results_or_errors({{"f", "n",
                                                     [](int64_t n) {
                                                       if (n == 0)
                                                         throw ValueError("");
                                                     }}}),
                          "an Error without a message");
}

// The memory that a test may use has a limit.
TEST(ExtremeArgumentsTest, ArraysAboveTheLimitAreErrors) {
  static bool is_refused = false;
  expect_results_or_errors({{"f", "n", [](int64_t n) {
                               if (n != 0) return;
                               try {
                                 array::empty({int64_t{1} << 30});
                               } catch (const OutOfMemoryError&) {
                                 is_refused = true;
                               }
                             }}});
  EXPECT_TRUE(is_refused);
}

}  // namespace
}  // namespace catena::testing
