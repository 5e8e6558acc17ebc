#include "catena/optimizers/loss_function.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "catena/array/core/error.h"
#include "catena/array/creation.h"
#include "catena/functions/math/operators.h"
#include "catena/functions/math/sum.h"
#include "catena/links/link.h"
#include "catena/tests/testing/error_of.h"

namespace catena {
namespace {

using ::catena::testing::error_of;
using ::testing::HasSubstr;

using List = std::vector<Variable>;

Variable ones(int64_t size) {
  return as_variable(array::ones({size}, Dtype::kFloat32));
}

// A list field named "xs" of 2 and 3 elements, and a field "t" of 1 element.
LossInputs ragged() {
  LossInputs inputs(std::make_shared<const std::vector<std::string>>(
      std::vector<std::string>{"xs", "t"}));
  inputs.add(List{ones(2), ones(3)});
  inputs.add(ones(1));
  return inputs;
}

Variable sum_of(std::span<const Variable> xs) {
  Variable sum = functions::sum(xs[0]);
  for (const Variable& x : xs.subspan(1)) sum = sum + functions::sum(x);
  return sum;
}

float value_of(const Variable& loss) { return loss.data().item<float>(); }

TEST(LossInputsTest, FieldsAreVariablesOrLists) {
  const LossInputs inputs = ragged();
  ASSERT_EQ(inputs.size(), 2u);
  EXPECT_TRUE(inputs.is_list(0));
  EXPECT_FALSE(inputs.is_list(1));
  EXPECT_EQ(inputs.list(0).size(), 2u);
  EXPECT_EQ(inputs[1].size(), 1);
  EXPECT_EQ(ragged()[1].size(), 1);
  EXPECT_EQ(ragged().list(0)[1].size(), 3);
  EXPECT_THROW(inputs[2], IndexError);
  EXPECT_THROW(inputs.list(2), IndexError);
}

TEST(LossInputsTest, OneFormDoesNotStandForTheOther) {
  const LossInputs inputs = ragged();
  EXPECT_THAT(
      error_of<ValueError>([&] { inputs[0]; }),
      HasSubstr("expected one array in field 'xs', got a list of 2 arrays"));
  EXPECT_THAT(
      error_of<ValueError>([&] { inputs.list(1); }),
      HasSubstr(
          "expected a list of arrays in field 't', one for each example, got "
          "one array, (1,), float32"));
  LossInputs unnamed;
  unnamed.add(List{ones(2)});
  EXPECT_THAT(error_of<ValueError>([&] { unnamed[0]; }),
              HasSubstr("in field 0, got a list"));
}

TEST(LossInputsTest, WithoutListsTheyAreASpanOfVariables) {
  const LossFunction count = [](std::span<const Variable> batch) {
    return ones(static_cast<int64_t>(batch.size()));
  };
  EXPECT_EQ(count(List{ones(1), ones(1), ones(1)}).size(), 3);
  EXPECT_THAT(error_of<ValueError>([&] { count(ragged()); }),
              HasSubstr("in field 'xs', got a list "
                        "of 2 arrays"));
}

class Model : public Link {
 public:
  Variable forward(const Variable& x) { return functions::sum(x); }
  Variable forward(const List& xs, const Variable& t) {
    return sum_of(xs) * functions::sum(t);
  }
  // What a loss cannot be, which leaves the next form.
  List forward(const Variable& x, const Variable& y, const Variable&) {
    return {x, y};
  }
  Variable forward(const Variable& x, std::span<const Variable> ys,
                   std::span<const Variable> zs) {
    return functions::sum(x) + sum_of(ys) * sum_of(zs);
  }
};

TEST(LossFunctionTest, PassesFieldsAsTheLinkTakesThem) {
  Model model;
  const LossFunction loss = loss_function_of(model);
  EXPECT_EQ(value_of(loss(List{ones(4)})), 4);
  EXPECT_EQ(value_of(loss(ragged())), 5);
  LossInputs three;
  three.add(ones(7));
  three.add(List{ones(1), ones(1)});
  three.add(List{ones(2), ones(3)});
  EXPECT_EQ(value_of(loss(three)), 17);
}

TEST(LossFunctionTest, NamesTheFieldOfTheWrongForm) {
  Model model;
  const LossFunction loss = loss_function_of(model);
  EXPECT_THAT(
      error_of<ValueError>([&] {
        loss(List{ones(1), ones(1)});
      }),
      HasSubstr("expected a list of arrays in field 0, one for each example, "
                "got one array, (1,), float32"));
  LossInputs list;
  list.add(List{ones(1)});
  EXPECT_THAT(
      error_of<ValueError>([&] { loss(list); }),
      HasSubstr("expected one array in field 0, got a list of 1 arrays"));
  EXPECT_THAT(error_of<ValueError>([&] {
                loss(List{ones(1), ones(1), ones(1), ones(1)});
              }),
              HasSubstr("with 4 variables"));
}

TEST(LossFunctionTest, GenericLambdasAreCalledWithVariables) {
  const auto product = [](const auto& x, const auto& y) {
    return functions::sum(x * y);
  };
  EXPECT_EQ(value_of(loss_function_of(product)(List{ones(3), ones(3)})), 3);
  EXPECT_THROW(loss_function_of(product)(ragged()), ValueError);
  const auto weighted = [](const List& xs, const auto& weight) {
    return sum_of(xs) * functions::sum(weight);
  };
  EXPECT_EQ(value_of(loss_function_of(weighted)(ragged())), 5);
}

TEST(LossFunctionTest, SaysWhyATargetIsNone) {
  const auto pair = [](const Variable& x) { return std::pair(x, x); };
  EXPECT_THAT(
      error_of<ValueError>([&] { loss_function_of(pair)(List{ones(3)}); }),
      HasSubstr("Optimizer: the target, called with 1 variables, "
                "returns no Variable: expected one, the loss"));
  const auto changes = [](Variable& x) { return x; };
  EXPECT_THAT(
      error_of<ValueError>([&] { loss_function_of(changes)(List{ones(3)}); }),
      HasSubstr("takes a reference that it could change: write `const "
                "Variable&` instead of `Variable&`"));
}

}  // namespace
}  // namespace catena
