#include "catena/array/cuda/elementwise_params.h"

#include <gtest/gtest.h>

#include <cstring>
#include <limits>
#include <set>
#include <utility>
#include <vector>

namespace catena::cuda {
namespace {

constexpr int64_t kMax = std::numeric_limits<int32_t>::max();

struct Layout {
  char* data;
  std::vector<int64_t> strides;
};

ElementwiseArgs make_args(const std::vector<int64_t>& shape,
                          const std::vector<Layout>& operands) {
  ElementwiseArgs args{};
  args.ndim = static_cast<int>(shape.size());
  args.noperands = static_cast<int>(operands.size());
  args.size = 1;
  for (int i = 0; i < args.ndim; ++i) args.size *= args.shape[i] = shape[i];
  for (int k = 0; k < args.noperands; ++k) {
    args.operands[k].data = operands[k].data;
    for (int i = 0; i < args.ndim; ++i) {
      args.operands[k].strides[i] = operands[k].strides[i];
    }
  }
  return args;
}

float float_at(const void* memory) {
  float value;
  std::memcpy(&value, memory, sizeof(value));
  return value;
}

char* address(uintptr_t value) { return reinterpret_cast<char*>(value); }

constexpr ElementwiseTypes kBinaryFloat{3, 2, {4, 4, 4}};

TEST(ElementwiseTypesTest, APackHas16BytesOfTheLargestTypeAndAtMost8Elements) {
  EXPECT_EQ(kBinaryFloat.pack_size(), 4);
  EXPECT_EQ((ElementwiseTypes{2, 1, {8, 1}}.pack_size()), 2);
  EXPECT_EQ((ElementwiseTypes{2, 1, {2, 2}}.pack_size()), 8);
  EXPECT_EQ((ElementwiseTypes{2, 1, {1, 1}}.pack_size()), 8);
}

TEST(ElementwiseParamsTest, ContiguousAlignedOperandsAreFlat) {
  const auto args = make_args(
      {100},
      {{address(4096), {4}}, {address(8192), {4}}, {address(4096), {4}}});
  EXPECT_TRUE(is_flat(args, kBinaryFloat));
  const FlatParams params = make_flat_params(args, kBinaryFloat, 132);
  EXPECT_EQ(params.size, 100);
  EXPECT_EQ(params.operands[1].data, address(8192));
  EXPECT_FALSE(params.operands[0].repeated);
}

TEST(ElementwiseParamsTest, LargeArraysAreSeveralPacksForAThread) {
  const auto launch_of = [](int64_t size) {
    const auto args = make_args(
        {size},
        {{address(4096), {4}}, {address(8192), {4}}, {address(4096), {4}}});
    const FlatParams params = make_flat_params(args, kBinaryFloat, 132);
    return std::pair(params.thread_packs, flat_blocks(params, kBinaryFloat));
  };
  const int64_t full = 132 * 4 * 256 * 4;  // a pack for each of many threads
  EXPECT_EQ(launch_of(1), std::pair(1, int64_t{1}));
  EXPECT_EQ(launch_of(1025), std::pair(1, int64_t{1})) << "and the last block";
  EXPECT_EQ(launch_of(1028), std::pair(1, int64_t{2}));
  EXPECT_EQ(launch_of(full), std::pair(1, int64_t{132 * 4}));
  EXPECT_EQ(launch_of(2 * full + 4), std::pair(2, int64_t{132 * 4 + 1}));
  EXPECT_EQ(launch_of(100 * full), std::pair(4, int64_t{132 * 4 * 25}));
  EXPECT_EQ((ElementwiseTypes{4, 3, {4, 4, 4, 4}}.packs_per_thread()), 2);
}

TEST(ElementwiseParamsTest, AnInputOfOneElementIsRepeated) {
  const auto args = make_args(
      {100},
      {{address(4096), {4}}, {address(8196), {0}}, {address(4096), {4}}});
  EXPECT_TRUE(is_flat(args, kBinaryFloat)) << "its alignment does not matter";
  const FlatParams params = make_flat_params(args, kBinaryFloat, 132);
  EXPECT_FALSE(params.operands[0].repeated);
  EXPECT_TRUE(params.operands[1].repeated);
  EXPECT_FALSE(params.operands[2].repeated);
}

TEST(ElementwiseParamsTest, AnImmediateTravelsInTheParameters) {
  auto args = make_args(
      {100}, {{address(4096), {4}}, {nullptr, {0}}, {address(4096), {4}}});
  const float value = 2.5f;
  args.operands[1].is_immediate = true;
  args.operands[1].data = args.operands[1].immediate;
  std::memcpy(args.operands[1].immediate, &value, sizeof(value));
  ASSERT_TRUE(is_flat(args, kBinaryFloat));
  const FlatParams flat = make_flat_params(args, kBinaryFloat, 132);
  EXPECT_EQ(flat.operands[1].data, nullptr);
  EXPECT_TRUE(flat.operands[1].repeated);
  EXPECT_EQ(float_at(flat.operands[1].immediate), 2.5f);
  const StridedParams strided = make_strided_params(args);
  EXPECT_EQ(strided.operands[1].data, nullptr);
  EXPECT_EQ(float_at(strided.operands[1].immediate), 2.5f);
}

TEST(ElementwiseParamsTest, GapsAxesAndOddAddressesAreNotFlat) {
  EXPECT_FALSE(is_flat(make_args({100}, {{address(4096), {8}},
                                         {address(8192), {4}},
                                         {address(4096), {4}}}),
                       kBinaryFloat));
  EXPECT_FALSE(is_flat(make_args({100}, {{address(4100), {4}},
                                         {address(8192), {4}},
                                         {address(4096), {4}}}),
                       kBinaryFloat));
  EXPECT_FALSE(is_flat(make_args({10, 10}, {{address(4096), {4, 40}},
                                            {address(8192), {40, 4}},
                                            {address(4096), {40, 4}}}),
                       kBinaryFloat));
}

TEST(ElementwiseParamsTest, StridedParametersKeepExtentsAndStrides) {
  const auto args = make_args({3, 1, 5}, {{address(4096), {-20, 1 << 30, 4}},
                                          {address(8192), {20, 20, 4}}});
  const StridedParams params = make_strided_params(args);
  EXPECT_EQ(params.size, 15u);
  EXPECT_EQ(params.ndim, 3);
  EXPECT_EQ(params.extents[2].divisor(), 5u);
  EXPECT_EQ(params.operands[0].strides[0], -20);
  EXPECT_EQ(params.operands[0].strides[1], 0);
  EXPECT_EQ(params.operands[0].strides[2], 4);
}

// Visits the parts and checks that each fits and that together they are the
// whole: every part's first element lies where it should.
void expect_covered(const ElementwiseArgs& args, int64_t max_parts) {
  int64_t size = 0;
  int64_t parts = 0;
  std::set<const char*> starts;
  visit_32_bit_parts(args, [&](const ElementwiseArgs& part) {
    EXPECT_TRUE(fits_32_bits(part));
    EXPECT_TRUE(starts.insert(part.operands[args.noperands - 1].data).second);
    size += part.size;
    ++parts;
  });
  EXPECT_EQ(size, args.size);
  EXPECT_LE(parts, max_parts);
}

TEST(ElementwiseParamsTest, ArgumentsThatFitAreVisitedOnce) {
  const auto args = make_args({kMax / 4, 1}, {{address(4096), {4, 4}}});
  EXPECT_TRUE(fits_32_bits(args));
  expect_covered(args, 1);
}

TEST(ElementwiseParamsTest, TooManyElementsAreSplit) {
  const int64_t n = int64_t{1} << 33;
  expect_covered(make_args({n}, {{address(2 * n), {-1}}, {address(4096), {1}}}),
                 8);
  expect_covered(make_args({2, n / 2}, {{address(4096), {n / 2, 1}}}), 8);
}

TEST(ElementwiseParamsTest, FarStridesAreSplitAlongTheirOwnAxis) {
  // A transposed view: the far axis is the inner one.
  const auto args = make_args(
      {1000, 8}, {{address(4096), {4, kMax}}, {address(4096), {32, 4}}});
  EXPECT_FALSE(fits_32_bits(args));
  expect_covered(args, 8);
}

TEST(ElementwiseParamsTest, APartStartsWhereItsElementsLie) {
  const auto args =
      make_args({4}, {{address(4096), {kMax}}, {address(64), {4}}});
  std::vector<std::pair<char*, char*>> starts;
  visit_32_bit_parts(args, [&](const ElementwiseArgs& part) {
    starts.emplace_back(part.operands[0].data, part.operands[1].data);
    EXPECT_EQ(part.size, 2);
  });
  const std::vector<std::pair<char*, char*>> expected = {
      {address(4096), address(64)}, {address(4096 + 2 * kMax), address(72)}};
  EXPECT_EQ(starts, expected);
}

}  // namespace
}  // namespace catena::cuda
