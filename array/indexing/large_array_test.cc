// Arrays of more than 2^31 elements: 6 GiB of memory, so it is run by hand:
//
//   ./bazelw test //array/indexing:large_array_test --test_output=all

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "catena/array/array.h"
#include "catena/array/concatenate.h"
#include "catena/array/creation.h"
#include "catena/array/index.h"
#include "catena/array/indexing/nonzero.h"
#include "catena/array/reduction/reduce.h"
#include "catena/array/take.h"
#include "catena/array/ufunc/ufunc.h"
#include "catena/tests/testing/array_matchers.h"

namespace catena::array {
namespace {

using testing::IsArray;

constexpr int64_t kSize = (int64_t{1} << 31) + 1000;
constexpr int64_t kLast = kSize - 1;

class LargeArrayTest : public ::testing::Test {
 protected:
  // Zeros but for a 7 at the end.
  LargeArrayTest() : a_(zeros({kSize}, Dtype::kUInt8)) { a_[kLast].fill(7); }
  Array a_;
};

TEST_F(LargeArrayTest, ElementsBehindThirtyTwoBitsAreReached) {
  EXPECT_EQ(a_[kLast].item<int>(), 7);
  EXPECT_EQ(a_[-1].item<int>(), 7);
  EXPECT_EQ(a_[{Slice(std::nullopt, std::nullopt, -1)}][0].item<int>(), 7);
  EXPECT_THAT(take(a_, array({kLast, int64_t{5}})),
              IsArray(array({7, 0}, Dtype::kUInt8)));
  put(a_, array({kLast - 1}), 9);
  EXPECT_EQ(a_[kLast - 1].item<int>(), 9);
}

TEST_F(LargeArrayTest, ReductionsSeeEveryElement) {
  EXPECT_EQ(sum(a_).item<int64_t>(), 7);
  EXPECT_EQ(argmax(a_).item<int64_t>(), kLast);
  EXPECT_EQ(max(a_).item<int>(), 7);
  EXPECT_EQ(count_nonzero(a_).item<int64_t>(), 1);
  EXPECT_THAT(sum(a_.reshape({8, -1}), {.axis = 1}),
              IsArray(array({0, 0, 0, 0, 0, 0, 0, 7}, Dtype::kUInt64)));
  EXPECT_THAT(nonzero(a_)[0], IsArray(array({kLast})));
}

TEST_F(LargeArrayTest, ElementwiseAndCopies) {
  add(a_, 1, {.out = a_});
  EXPECT_EQ(a_[kLast].item<int>(), 8);
  EXPECT_EQ(a_[kLast - 1].item<int>(), 1);
  EXPECT_EQ(a_[0].item<int>(), 1);
  const Array transposed = a_.reshape({2, kSize / 2}).T().copy();
  EXPECT_EQ(transposed.raw_data()[kLast], 8);
  EXPECT_EQ(min(transposed).item<int>(), 1);
}

TEST_F(LargeArrayTest, JoiningMakesOne) {
  const Array half = a_[{Slice(kSize / 2, kSize)}];
  const Array joined = concatenate({half, half});
  EXPECT_EQ(joined.size(), kSize);
  EXPECT_EQ(joined[kLast].item<int>(), 7);
  EXPECT_EQ(sum(joined).item<int64_t>(), 14);
}

}  // namespace
}  // namespace catena::array
