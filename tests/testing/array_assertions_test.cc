#include "catena/tests/testing/array_assertions.h"

#include <gmock/gmock.h>
#include <gtest/gtest-spi.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "catena/array/creation.h"

namespace catena::testing {
namespace {

using array::arange;
using array::array;
using array::full;
using array::ones;
using array::zeros;
using ::testing::MatchesRegex;

TEST(AssertAllcloseTest, ComparesWithinTheTolerance) {
  assert_allclose(array({1.0, 2.0}), array({1.0 + 5e-8, 2.0}));
  assert_allclose(array({1.0, NAN, INFINITY}), array({1.2, NAN, INFINITY}),
                  {.rtol = 0, .atol = 0.25});
  assert_allclose(ones({2}, Dtype::kFloat32), ones({2}, Dtype::kInt8));
  assert_allclose(ones({2, 3}), array(1.0));
  assert_allclose(zeros({0}), zeros({0}));
}

TEST(AssertAllcloseTest, SaysWhatDiffersByHowMuch) {
  EXPECT_NONFATAL_FAILURE(
      assert_allclose(array({{1.0, 2.5}, {3.0, NAN}}),
                      array({{1.0, 2.0}, {3.0, 4.0}}),
                      {.rtol = 0.125, .err_msg = "my message"}),
      "my message\n"
      "assert_allclose (rtol 0.125, atol 0): 2 of 4 elements differ; largest "
      "difference 0.5, relative 0.25\n"
      "  at (0, 1): 2.5, desired 2\n"
      "  at (1, 1): nan, desired 4");
  EXPECT_NONFATAL_FAILURE(assert_allclose(array({INFINITY}), array({1e300})),
                          "1 of 1 elements differ");
  EXPECT_NONFATAL_FAILURE(assert_allclose(ones({2}), ones({3})),
                          "shapes (2,) and (3,) differ");
}

TEST(AssertAllcloseTest, ReportsTheCallersLine) {
  using Reporter = ::testing::ScopedFakeTestPartResultReporter;
  ::testing::TestPartResultArray failures;
  int line = 0;
  {
    const Reporter reporter(Reporter::INTERCEPT_ONLY_CURRENT_THREAD, &failures);
    line = __LINE__ + 1;
    assert_allclose(array(1.0), array(2.0));
  }
  ASSERT_EQ(failures.size(), 1);
  EXPECT_EQ(failures.GetTestPartResult(0).line_number(), line);
}

TEST(AssertArrayAlmostEqualTest, CountsDecimals) {
  assert_array_almost_equal(array({1.0}), array({1.0 + 1.4e-6}));
  assert_array_almost_equal(array({1.0}), array({1.1}), 1);
  EXPECT_NONFATAL_FAILURE(
      assert_array_almost_equal(array({1.0}), array({1.0 + 1.6e-6})),
      "assert_array_almost_equal (6 decimals): 1 of 1 elements differ");
}

TEST(AssertArrayAlmostEqualNulpTest, MeasuresByTheSpacingOfTheLarger) {
  const float next = std::nextafter(1.0f, 2.0f);
  assert_array_almost_equal_nulp(array({1.0f}), array({next}));
  EXPECT_NONFATAL_FAILURE(
      assert_array_almost_equal_nulp(array({1.0f}),
                                     array({std::nextafter(next, 2.0f)})),
      "assert_array_almost_equal_nulp (nulp 1): 1 of 1 elements differ");
  assert_array_almost_equal_nulp(array({1.0f}),
                                 array({std::nextafter(next, 2.0f)}), 2);
  EXPECT_NONFATAL_FAILURE(
      assert_array_almost_equal_nulp(array({NAN}), array({NAN})), "at (0,)");
  EXPECT_NONFATAL_FAILURE(
      assert_array_almost_equal_nulp(ones({1}), ones({1}, Dtype::kFloat32)),
      "expected two arrays of one floating dtype, got float64 and float32");
}

TEST(AssertArrayMaxUlpTest, CountsTheFloatsInBetween) {
  const double tiny = std::numeric_limits<double>::denorm_min();
  assert_array_max_ulp(array({0.0, tiny, NAN}), array({-0.0, 0.0, NAN}));
  assert_array_max_ulp(array({tiny}), array({-tiny}), 2);
  EXPECT_NONFATAL_FAILURE(assert_array_max_ulp(array({tiny}), array({-tiny})),
                          "assert_array_max_ulp (maxulp 1): 1 of 1");
  assert_array_max_ulp(array({1.0}), array({1.0 + 1e-8}), 1, Dtype::kFloat32);
  assert_array_max_ulp(ones({1}, Dtype::kFloat16),
                       full({1}, 1.0009765625, Dtype::kFloat16));
  EXPECT_NONFATAL_FAILURE(assert_array_max_ulp(arange(2), arange(2)),
                          "got int64 and int64");
  EXPECT_NONFATAL_FAILURE(
      assert_array_max_ulp(array({INFINITY}), array({-INFINITY})), "at (0,)");
}

TEST(AssertArrayEqualTest, IsExact) {
  assert_array_equal(array({1.0, NAN, -0.0}), array({1.0, NAN, 0.0}));
  assert_array_equal(arange(3), arange(3).astype(Dtype::kInt8));
  assert_array_equal(arange(3).to_device(native_device(1)), arange(3));
  EXPECT_NONFATAL_FAILURE(
      assert_array_equal(array({std::numeric_limits<int64_t>::max()}),
                         array({std::numeric_limits<int64_t>::max() - 1})),
      "at (0,): 9223372036854775807, expected 9223372036854775806");
  EXPECT_NONFATAL_FAILURE(
      assert_array_equal(arange(8), zeros({8}, Dtype::kInt64)), "\n  ...");
}

TEST(AssertArrayEqualTest, HidesElementsUnlessVerbose) {
  ::testing::TestPartResultArray failures;
  {
    ::testing::ScopedFakeTestPartResultReporter reporter(
        ::testing::ScopedFakeTestPartResultReporter::
            INTERCEPT_ONLY_CURRENT_THREAD,
        &failures);
    assert_array_equal(array(1.0), array(2.0), {.verbose = false});
  }
  ASSERT_EQ(failures.size(), 1);
  // GoogleTest ends the message with a newline, or, before 1.17, does not.
  EXPECT_THAT(
      failures.GetTestPartResult(0).message(),
      MatchesRegex("Failed\nassert_array_equal: 1 of 1 elements differ; "
                   "largest difference 1, relative 0.5\n?"));
}

TEST(AssertArrayListEqualTest, ComparesInPairs) {
  assert_array_list_equal({arange(2), ones({1})}, {arange(2), ones({1})});
  EXPECT_NONFATAL_FAILURE(assert_array_list_equal({arange(2)}, {}),
                          "assert_array_list_equal: lists of 1 and 0 arrays");
  const std::vector<Array> a = {arange(2), ones({1})};
  const std::vector<Array> b = {arange(2), zeros({1})};
  EXPECT_NONFATAL_FAILURE(assert_array_list_equal(a, b),
                          "assert_array_list_equal, array 1: 1 of 1");
}

TEST(AssertArrayLessTest, IsStrict) {
  assert_array_less(arange(3), arange(1, 4));
  assert_array_less(arange(3), array(3));
  EXPECT_NONFATAL_FAILURE(
      assert_array_less(array({1.0, 2.0}), array({2.0, 2.0})),
      "assert_array_less: 1 of 2 elements differ; largest difference 0, "
      "relative 0\n  at (1,): 2, expected less than 2");
  EXPECT_NONFATAL_FAILURE(assert_array_less(array({NAN}), array({1.0})),
                          "at (0,): nan, expected less than 1");
}

}  // namespace
}  // namespace catena::testing
