#include "catena/training/minibatch.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <vector>

#include "catena/array/core/error.h"
#include "catena/array/creation.h"
#include "catena/dataset/convert.h"

namespace catena::training {
namespace {

TEST(MinibatchTest, FieldsBecomeVariablesWithoutGradient) {
  const dataset::Batch batch(
      std::vector<dataset::Example>{{array::ones({3}), array::ones({2})},
                                    {array::ones({3}), array::ones({4})}});
  const LossInputs inputs = variables_of(
      dataset::concat_converter({.lists = {1}})(batch, std::nullopt));
  ASSERT_EQ(inputs.size(), 2);
  EXPECT_FALSE(inputs.is_list(0));
  EXPECT_EQ(inputs[0].shape(), Shape({2, 3}));
  EXPECT_FALSE(inputs[0].requires_grad());
  ASSERT_TRUE(inputs.is_list(1));
  ASSERT_EQ(inputs.list(1).size(), 2);
  EXPECT_EQ(inputs.list(1)[1].shape(), Shape({4}));
  EXPECT_FALSE(inputs.list(1)[0].requires_grad());
  EXPECT_THROW(inputs[1], ValueError);
}

}  // namespace
}  // namespace catena::training
