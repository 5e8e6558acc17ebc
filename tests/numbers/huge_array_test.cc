// Arrays of more than 2^31 elements: about 9 GiB of memory and some minutes, so
// it is run by hand (docs/reliability.md has the command).

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <optional>
#include <string_view>
#include <vector>

#include "catena/array/all.h"
#include "catena/tests/testing/array_matchers.h"

namespace catena::array {
namespace {

using testing::IsArray;

constexpr int64_t kSize = (int64_t{1} << 31) + 1;
constexpr int64_t kLast = kSize - 1;

constexpr auto kNone = std::nullopt;

int64_t integer(const Array& a) { return a.item<int64_t>(); }

class HugeArrayTest : public ::testing::Test {
 protected:
  // Zeros but for a 7 at the end.
  HugeArrayTest() : a_(zeros({kSize}, Dtype::kUInt8)) { a_[kLast].fill(7); }
  Array a_;
};

TEST_F(HugeArrayTest, SlicesReachTheLastElement) {
  EXPECT_EQ(integer(a_[kLast]), 7);
  EXPECT_EQ(integer(a_[-1]), 7);
  EXPECT_EQ(integer(a_[{Slice(kNone, kNone, -1)}][0]), 7);
  EXPECT_EQ(integer(a_[{Slice(kNone, kNone, int64_t{1} << 31)}][1]), 7);
  EXPECT_EQ(integer(flip(a_)[0]), 7);
  a_[{Slice(kLast - 2, kLast)}].fill(5);
  EXPECT_THAT(a_[{Slice(-4, kNone)}].copy(),
              IsArray(array({0, 5, 5, 7}, Dtype::kUInt8)));
  EXPECT_EQ(split(a_, {kLast}, 0).back().size(), 1);
}

TEST_F(HugeArrayTest, IndicesReachTheLastElement) {
  EXPECT_THAT(take(a_, array({kLast, int64_t{5}})),
              IsArray(array({7, 0}, Dtype::kUInt8)));
  EXPECT_THAT(getitem(a_, {array({int64_t{-1}})}),
              IsArray(array({7}, Dtype::kUInt8)));
  put(a_, array({kLast - 1}), 9);
  EXPECT_EQ(integer(a_[kLast - 1]), 9);
  setitem(a_, {array({kLast})}, 8);
  EXPECT_EQ(integer(a_[kLast]), 8);
  add_at(a_, {array({kLast, kLast})}, 3);
  EXPECT_EQ(integer(a_[kLast]), 14);
  EXPECT_THAT(nonzero(a_)[0], IsArray(array({kLast - 1, kLast})));
  EXPECT_THAT(getitem(a_, {greater(a_, 0)}),
              IsArray(array({9, 14}, Dtype::kUInt8)));
}

TEST_F(HugeArrayTest, ReductionsSeeEveryElement) {
  EXPECT_EQ(integer(sum(a_)), 7);
  EXPECT_EQ(integer(prod(a_[{Slice(kLast, kNone)}])), 7);
  EXPECT_EQ(integer(argmax(a_)), kLast);
  EXPECT_EQ(integer(max(a_)), 7);
  EXPECT_EQ(integer(min(a_)), 0);
  EXPECT_EQ(integer(count_nonzero(a_)), 1);
  EXPECT_TRUE(any(a_).item<bool>());
  EXPECT_FALSE(all(a_).item<bool>());
  EXPECT_DOUBLE_EQ(mean(a_).item<double>(), 7.0 / kSize);
  // For n - 1 zeros and a 7.
  EXPECT_NEAR(var(a_).item<double>(), 49.0 / kSize, 1e-15);
  a_.fill(1);
  EXPECT_EQ(integer(sum(a_)), kSize);
  EXPECT_EQ(integer(count_nonzero(a_)), kSize);
  a_[kLast].fill(0);
  EXPECT_EQ(integer(argmin(a_)), kLast);
}

TEST_F(HugeArrayTest, ReductionsAlongAxesSeeEveryElement) {
  // 2^31 + 1 is 3 times 715827883.
  const Array rows = a_.reshape({3, -1});
  const int64_t columns = rows.shape()[1];
  EXPECT_THAT(sum(rows, {.axis = 1}),
              IsArray(array({0, 0, 7}, Dtype::kUInt64)));
  EXPECT_THAT(argmax(rows, {.axis = 1}),
              IsArray(array({int64_t{0}, int64_t{0}, columns - 1})));
  EXPECT_EQ(integer(max(rows, {.axis = 0})[columns - 1]), 7);
  EXPECT_THAT(max(a_.reshape({-1, 3}), {.axis = 0}),
              IsArray(array({0, 0, 7}, Dtype::kUInt8)));
}

TEST_F(HugeArrayTest, UfuncsComputeEveryElement) {
  add(a_, 1, {.out = a_});
  EXPECT_EQ(integer(a_[kLast]), 8);
  EXPECT_EQ(integer(a_[kLast - 1]), 1);
  EXPECT_EQ(integer(a_[0]), 1);
  const Array is_large = greater(a_, 7);
  EXPECT_EQ(integer(argmax(is_large)), kLast);
  EXPECT_EQ(integer(sum(is_large)), 1);
  // Not in the order of memory.
  subtract(a_, flip(a_), {.out = a_});
  EXPECT_EQ(integer(a_[kLast]), 7);
  EXPECT_EQ(integer(a_[0]), 256 - 7);
  EXPECT_EQ(integer(count_nonzero(a_)), 2);
  const Array chosen = where(equal(a_, 7), a_, 0);
  EXPECT_EQ(integer(argmax(chosen)), kLast);
}

TEST_F(HugeArrayTest, CopiesHaveEveryElement) {
  const Array copy = a_.copy();
  EXPECT_EQ(integer(copy[kLast]), 7);
  EXPECT_TRUE(array_equal(a_, copy));
  a_.assign(a_[{Slice(kNone, kNone, -1)}]);
  EXPECT_EQ(integer(a_[0]), 7);
  EXPECT_EQ(integer(a_[kLast]), 0);
  a_[{Slice(1, kNone)}].assign(copy[{Slice(1, kNone)}]);
  EXPECT_EQ(integer(a_[kLast]), 7);
  const Array transposed = a_.reshape({3, -1}).T().copy();
  EXPECT_EQ(integer(transposed.reshape({-1})[kLast]), 7);
  EXPECT_EQ(integer(argmax(transposed)), 0);
}

TEST_F(HugeArrayTest, CastsComputeEveryElement) {
  const Array is_set = a_.astype(Dtype::kBool);
  EXPECT_EQ(integer(argmax(is_set)), kLast);
  const Array negative = is_set.astype(Dtype::kInt8);
  EXPECT_EQ(integer(argmax(negative)), kLast);
  EXPECT_EQ(integer(sum(a_.view(Dtype::kInt8))), 7);
}

TEST_F(HugeArrayTest, JoiningAndRepeatingMakeOne) {
  const Array half = a_[{Slice(kSize / 2, kSize)}];
  Array joined = concatenate({half, half});
  EXPECT_EQ(joined.size(), kSize + 1);
  EXPECT_EQ(integer(joined[kSize]), 7);
  EXPECT_EQ(integer(sum(joined)), 14);
  joined = Array();
  const Array rolled = roll(a_, 1);
  EXPECT_EQ(integer(argmax(rolled)), 0);
  EXPECT_EQ(integer(sum(rolled)), 7);
}

TEST_F(HugeArrayTest, LongerOnesAreMadeOfOne) {
  const Array padded = pad(a_, std::vector<PadWidth>{{1, 2}}, {});
  EXPECT_EQ(integer(padded[kSize]), 7);
  EXPECT_EQ(integer(sum(padded)), 7);
  const Array part = a_[{Slice(-3, kNone)}];
  const Array tiled = tile(part, {(kSize + 2) / 3});
  EXPECT_EQ(integer(tiled[tiled.size() - 1]), 7);
  EXPECT_GE(tiled.size(), kSize);
  const Array repeated = repeat(part, (kSize + 2) / 3);
  EXPECT_EQ(integer(repeated[repeated.size() - 1]), 7);
  EXPECT_EQ(integer(repeated[0]), 0);
}

TEST_F(HugeArrayTest, SortingOrdersEveryElement) {
  a_[5].fill(3);
  a_.sort();
  EXPECT_EQ(integer(a_[kLast]), 7);
  EXPECT_EQ(integer(a_[kLast - 1]), 3);
  EXPECT_EQ(integer(a_[kLast - 2]), 0);
  EXPECT_EQ(integer(sum(a_)), 10);
}

}  // namespace
}  // namespace catena::array
