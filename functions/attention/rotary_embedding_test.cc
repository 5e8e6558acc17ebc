#include "catena/functions/attention/rotary_embedding.h"

#include <gmock/gmock.h>

#include <cmath>

#include "catena/array/core/error.h"
#include "catena/array/creation.h"
#include "catena/array/index.h"
#include "catena/array/reduction/reduce.h"
#include "catena/tests/testing/array_matchers.h"
#include "catena/tests/testing/device_test.h"
#include "catena/tests/testing/error_of.h"
#include "catena/tests/testing/function_gradients.h"

namespace catena::functions {
namespace {

using ::catena::testing::error_of;
using ::testing::HasSubstr;

class RotaryEmbeddingTest : public testing::DeviceTest {};
INSTANTIATE_TEST_SUITE_P(RotaryEmbedding, RotaryEmbeddingTest,
                         testing::every_device(), testing::device_name);

RotaryTables tables_for(int64_t count, int64_t size,
                        Dtype dtype = Dtype::kFloat64) {
  return rotary_tables(array::arange(count), size, {.dtype = dtype});
}

TEST_P(RotaryEmbeddingTest, TablesHaveAnAngleForEachPair) {
  const auto [cos, sin] =
      rotary_tables(array::array({0, 3}), 4, {.dtype = Dtype::kFloat64});
  EXPECT_THAT(cos, testing::IsClose(array::array(
                       {{1.0, 1.0}, {std::cos(3.0), std::cos(0.03)}})));
  EXPECT_THAT(sin, testing::IsClose(array::array(
                       {{0.0, 0.0}, {std::sin(3.0), std::sin(0.03)}})));
}

// Frequencies 1, 1/10, 1/100 and 1/1000 have waves of 6, 63, 628 and 6,283
// positions: shorter than 1000 / 8, between, and longer than 1000 / 2.
TEST_P(RotaryEmbeddingTest, LongWavesAreStretched) {
  const RotaryScaling scaling = {.factor = 4,
                                 .low_frequency_factor = 2,
                                 .high_frequency_factor = 8,
                                 .original_context = 1000};
  const auto [cos, sin] = rotary_tables(
      array::array({1}), 8, {.scaling = scaling, .dtype = Dtype::kFloat64});
  EXPECT_THAT(sin, testing::IsClose(
                       array::array({{std::sin(1.0), std::sin(0.1),
                                      std::sin(0.0025), std::sin(0.00025)}})));
  // A wave of 1000 / 5 positions, half way from 2 to 8.
  const double frequency = 2 * M_PI * 5 / 1000;
  const auto between = rotary_tables(array::array({1}), 4,
                                     {.base = 1 / (frequency * frequency),
                                      .scaling = scaling,
                                      .dtype = Dtype::kFloat64});
  EXPECT_NEAR((between.sin[{0, 1}].item<double>()),
              std::sin(frequency * (0.5 + 0.5 / 4)), 1e-12);
}

TEST_P(RotaryEmbeddingTest, TurnsHalvesOrNeighbours) {
  const Array x = array::array({{1.0, 2.0, 3.0, 4.0, 5.0}});
  const RotaryTables tables = {array::array({{0.0, 1.0}}),
                               array::array({{1.0, 0.0}})};
  // The first pair by a right angle, the second not at all.
  EXPECT_THAT(rotary_embedding(x, tables).data(),
              testing::IsArray(array::array({{-3.0, 2.0, 1.0, 4.0, 5.0}})));
  EXPECT_THAT(rotary_embedding(x, tables, {.interleaved = true}).data(),
              testing::IsArray(array::array({{-2.0, 1.0, 3.0, 4.0, 5.0}})));
}

// What attention sees depends on how far keys are away, not on where.
TEST_P(RotaryEmbeddingTest, ProductsDependOnDistancesAlone) {
  const RotaryTables tables = tables_for(10, 6);
  const Array q = testing::uniform({1, 6}, -1, 1, Dtype::kFloat64, 1);
  const Array k = testing::uniform({1, 6}, -1, 1, Dtype::kFloat64, 2);
  const auto turned = [&](const Array& x, int64_t place) {
    const Slice row(place, place + 1);
    return rotary_embedding(x, {tables.cos[{row}], tables.sin[{row}]}).data();
  };
  const auto product = [&](int64_t i, int64_t j) {
    return (turned(q, i) * turned(k, j)).sum().item<double>();
  };
  EXPECT_NEAR(product(2, 5), product(6, 9), 1e-12);
  EXPECT_GT(std::abs(product(2, 5) - product(2, 6)), 1e-3);
}

TEST_P(RotaryEmbeddingTest, GradientsMatchFiniteDifferences) {
  for (const bool interleaved : {false, true}) {
    for (const int64_t size : {4, 6}) {
      const RotaryTables tables = tables_for(5, size);
      testing::check_function_gradients(
          [&](const Variable& x) {
            return rotary_embedding(x, tables, {.interleaved = interleaved});
          },
          {testing::uniform({2, 3, 5, 6})});
    }
  }
  // Positions of each item.
  const RotaryTables own = rotary_tables(
      array::array({{{3, 4, 5}}, {{0, 1, 2}}}), 4, {.dtype = Dtype::kFloat64});
  ASSERT_EQ(own.cos.shape(), Shape({2, 1, 3, 2}));
  testing::check_function_gradients(
      [&](const Variable& x) { return rotary_embedding(x, own); },
      {testing::uniform({2, 2, 3, 4})});
}

TEST_P(RotaryEmbeddingTest, KeepsDtypesAndTheOrderInMemory) {
  for (const Dtype dtype : testing::float_dtypes()) {
    const bool is_double = dtype == Dtype::kFloat64;
    const RotaryTables tables =
        tables_for(3, 4, is_double ? Dtype::kFloat64 : Dtype::kFloat32);
    const Array x = testing::uniform({2, 3, 2, 4}, -1, 1, dtype);
    const Array view = x.transpose({0, 2, 1, 3});
    const Array y = rotary_embedding(view, tables).data();
    EXPECT_EQ(y.dtype(), dtype);
    EXPECT_TRUE(y.transpose({0, 2, 1, 3}).is_contiguous());
    EXPECT_THAT(y,
                testing::IsClose(rotary_embedding(view.copy(), tables).data()));
  }
}

TEST(RotaryEmbeddingErrorTest, NamesWhatDoesNotFit) {
  const Variable x(array::zeros({2, 5, 6}));
  EXPECT_THAT(
      error_of<InvalidType>([&] { rotary_embedding(x, tables_for(5, 8)); }),
      HasSubstr("Actual: tables (5, 4) for (2, 5, 6)"));
  EXPECT_THAT(
      error_of<InvalidType>([&] { rotary_embedding(x, tables_for(4, 6)); }),
      HasSubstr("tables (4, 3) for (2, 5, 6)"));
  EXPECT_THAT(error_of<InvalidType>([&] {
                rotary_embedding(x, tables_for(5, 6, Dtype::kFloat32));
              }),
              HasSubstr("Expect: tables of float64"));
  const Array positions = array::arange(3);
  const auto error = [&](int64_t size, const RotaryTablesOptions& options) {
    return error_of<ValueError>(
        [&] { rotary_tables(positions, size, options); });
  };
  EXPECT_THAT(error(3, {}), HasSubstr("positive, even size, got 3"));
  EXPECT_THAT(error(4, {.base = 0}), HasSubstr("positive base, got 0"));
  EXPECT_THAT(error(4, {.scaling = RotaryScaling{.low_frequency_factor = 4}}),
              HasSubstr("high_frequency_factor above low_frequency_factor"));
  EXPECT_THAT(error_of<DtypeError>([] { rotary_tables(array::zeros({3}), 4); }),
              HasSubstr("positions to be integers, got float64"));
}

}  // namespace
}  // namespace catena::functions
