#include "catena/tests/testing/dtype_loops.h"

#include <gmock/gmock.h>
#include <gtest/gtest-spi.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <set>

#include "catena/array/core/error.h"

namespace catena::testing {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::Not;
using ::testing::SizeIs;

// The dtypes that a loop runs.
template <class Loop, class... Options>
std::vector<Dtype> seen(const Loop& loop, const Options&... options) {
  std::vector<Dtype> dtypes;
  loop([&](Dtype dtype) { dtypes.push_back(dtype); }, options...);
  return dtypes;
}

TEST(DtypeLoopsTest, RunTheDtypesTheyAreNamedAfter) {
  EXPECT_THAT(
      seen(for_signed_dtypes),
      ElementsAre(Dtype::kInt8, Dtype::kInt16, Dtype::kInt32, Dtype::kInt64));
  EXPECT_THAT(seen(for_unsigned_dtypes),
              ElementsAre(Dtype::kUInt8, Dtype::kUInt16, Dtype::kUInt32,
                          Dtype::kUInt64));
  EXPECT_THAT(seen(for_float_dtypes, DtypeLoopOptions()), SizeIs(4));
  EXPECT_THAT(seen(for_float_dtypes, DtypeLoopOptions{.no_float16 = true}),
              ElementsAre(Dtype::kFloat32, Dtype::kFloat64));
  EXPECT_THAT(seen(for_int_dtypes, DtypeLoopOptions()), Contains(Dtype::kBool));
  EXPECT_THAT(seen(for_int_dtypes, DtypeLoopOptions{.no_bool = true}),
              SizeIs(8));
  EXPECT_THAT(seen(for_all_dtypes, DtypeLoopOptions()), SizeIs(kDtypeCount));
  EXPECT_THAT(seen(for_all_dtypes, DtypeLoopOptions{.no_bool = true}),
              Not(Contains(Dtype::kBool)));
}

TEST(DtypeLoopsTest, AFailureSaysForWhichDtype) {
  EXPECT_NONFATAL_FAILURE(
      for_dtypes({Dtype::kInt8, Dtype::kFloat32},
                 [](Dtype dtype) { EXPECT_TRUE(is_floating(dtype)); }),
      "dtype int8");
}

TEST(DtypeCombinationsTest, AllAreRunWhenAsked) {
  std::set<std::vector<Dtype>> all;
  for_signed_dtypes_combination(
      [&](const std::vector<Dtype>& dtypes) { all.insert(dtypes); },
      {.count = 3, .full = true});
  EXPECT_THAT(all, SizeIs(64));
}

TEST(DtypeCombinationsTest, AllAreRunWhenTheEnvironmentAsks) {
  ::setenv("CUPY_TEST_FULL_COMBINATION", "1", 1);
  int rounds = 0;
  for_signed_dtypes_combination([&](const std::vector<Dtype>&) { ++rounds; },
                                {.count = 2});
  ::unsetenv("CUPY_TEST_FULL_COMBINATION");
  EXPECT_EQ(rounds, 16);
}

TEST(DtypeCombinationsTest, OtherwiseEachDtypeIsOnceInEachPlace) {
  std::set<Dtype> first;
  std::set<Dtype> second;
  int rounds = 0;
  for_all_dtypes_combination(
      [&](const std::vector<Dtype>& dtypes) {
        ++rounds;
        first.insert(dtypes[0]);
        second.insert(dtypes[1]);
        EXPECT_NE(dtypes[0], dtypes[1]);
      },
      {.no_bool = true, .full = false});
  EXPECT_EQ(rounds, 12);
  EXPECT_THAT(first, SizeIs(12));
  EXPECT_THAT(second, SizeIs(12));
}

TEST(DtypeCombinationsTest, OfIntegersHaveNoFloats) {
  for_unsigned_dtypes_combination([](const std::vector<Dtype>& dtypes) {
    for (const Dtype dtype : dtypes) {
      EXPECT_EQ(kind_of(dtype), DtypeKind::kUInt);
    }
  });
  int rounds = 0;
  for_int_dtypes_combination(
      [&](const std::vector<Dtype>& dtypes) {
        ++rounds;
        for (const Dtype dtype : dtypes) EXPECT_TRUE(is_integral(dtype));
      },
      {.no_bool = true, .full = true});
  EXPECT_EQ(rounds, 64);
}

TEST(DtypeCombinationsTest, AFailureNamesAllDtypes) {
  EXPECT_NONFATAL_FAILURE(
      for_dtypes_combination({Dtype::kInt8},
                             [](const std::vector<Dtype>&) { ADD_FAILURE(); },
                             {.full = true}),
      "dtypes int8 int8");
  EXPECT_THROW(dtype_combinations({Dtype::kInt8}, {.count = 0}), ValueError);
}

}  // namespace
}  // namespace catena::testing
