#include "catena/functions/rnn/internal/n_step_weights.h"

#include <gmock/gmock.h>

#include <vector>

#include "catena/array/creation.h"
#include "catena/array/index.h"
#include "catena/tests/testing/array_matchers.h"
#include "catena/tests/testing/device_test.h"

namespace catena::functions {
namespace {

class NStepWeightsTest : public testing::DeviceTest {};
INSTANTIATE_TEST_SUITE_P(NStep, NStepWeightsTest, testing::every_device(),
                         testing::device_name);

Array range(const Shape& shape, int64_t first) {
  return array::arange(first, first + size_of(shape), 1, Dtype::kFloat32)
      .reshape(shape);
}

Array floats_of(const Array& buffer) { return buffer.view(Dtype::kFloat32); }

TEST_P(NStepWeightsTest, LieWhereTheLayoutSays) {
  const std::vector<Array> ws{range({2, 3}, 1), range({3, 2}, 11).T()};
  const std::vector<Array> bs{range({2}, 21), range({2}, 31)};
  const NStepWeightLayout layout{.bytes = 72, .ws = {40, 0}, .bs = {24, 64}};
  const Array buffer = pack_weights(layout, ws, bs);
  EXPECT_THAT(floats_of(buffer),
              testing::IsArray(
                  array::array(std::vector<float>{11, 13, 15, 12, 14, 16,  //
                                                  21, 22, 0, 0,  // a gap
                                                  1, 2, 3, 4, 5, 6, 31, 32})));
  EXPECT_THAT(unpacked_weights(buffer, layout.ws, ws)[1],
              testing::IsArray(ws[1]));
  const std::vector<Array> biases = unpacked_weights(buffer, layout.bs, bs);
  EXPECT_THAT(biases[1], testing::IsArray(bs[1]));
  EXPECT_EQ(biases[1].storage(), buffer.storage());
}

TEST_P(NStepWeightsTest, DenseLayoutHasMatricesThenBiases) {
  const std::vector<Array> ws{range({2, 3}, 1), range({2, 2}, 11)};
  const std::vector<Array> bs{range({2}, 21), range({2}, 31)};
  const NStepWeightLayout layout = dense_layout(ws, bs);
  EXPECT_EQ(layout.bytes, 56);
  EXPECT_THAT(layout.ws, ::testing::ElementsAre(0, 24));
  EXPECT_THAT(layout.bs, ::testing::ElementsAre(40, 48));
}

TEST_P(NStepWeightsTest, AreNotCopiedIfTheyLieThereAlready) {
  const Array memory = range({24}, 0);
  const NStepWeightLayout layout{.bytes = 64, .ws = {40, 0}, .bs = {32, 24}};
  // All of it from the fifth element on, 16 bytes from the start.
  const auto part = [&](int64_t first, const Shape& shape) {
    return memory[{Slice(4 + first, 4 + first + size_of(shape))}].reshape(
        shape);
  };
  const std::vector<Array> ws{part(10, {2, 3}), part(0, {3, 2})};
  const std::vector<Array> bs{part(8, {2}), part(6, {2})};
  const Array expected = part(0, {16});
  const Array buffer = pack_weights(layout, ws, bs);
  EXPECT_EQ(buffer.raw_data(), expected.raw_data());
  EXPECT_THAT(floats_of(buffer), testing::IsArray(expected));

  const auto expect_copy = [&](const NStepWeightLayout& layout,
                               const std::vector<Array>& ws,
                               const std::vector<Array>& bs) {
    const Array buffer = pack_weights(layout, ws, bs);
    EXPECT_NE(buffer.storage(), memory.storage());
    const std::vector<Array> parts = unpacked_weights(buffer, layout.ws, ws);
    for (size_t i = 0; i < ws.size(); ++i) {
      EXPECT_THAT(parts[i], testing::IsArray(ws[i]));
    }
  };
  expect_copy(layout, ws, {bs[0], bs[1].copy()});
  expect_copy(layout, ws, {bs[1], bs[0]});
  expect_copy(layout, {ws[0], part(0, {2, 3}).T()}, bs);
  // Aligned worse than in a buffer of its own.
  const auto shifted = [&](int64_t first, const Shape& shape) {
    return part(first + 1, shape);
  };
  expect_copy(layout, {shifted(10, {2, 3}), shifted(0, {3, 2})},
              {shifted(8, {2}), shifted(6, {2})});
  // What lies between them is zero in a buffer of its own.
  expect_copy({.bytes = 72, .ws = {48, 0}, .bs = {32, 24}},
              {part(12, {2, 3}), ws[1]}, bs);
}

}  // namespace
}  // namespace catena::functions
