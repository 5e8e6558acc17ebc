#include "catena/autograd/function_description.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <optional>
#include <utility>

#include "catena/array/core/error.h"
#include "catena/array/creation.h"
#include "catena/autograd/function_node.h"
#include "catena/autograd/testing/simple_functions.h"
#include "catena/tests/testing/array_matchers.h"
#include "catena/tests/testing/error_of.h"

namespace catena {

struct Declared;  // nowhere defined

namespace {

using ::catena::testing::error_of;
using ::catena::testing::IsArray;
using ::testing::HasSubstr;
using ::testing::ThrowsMessage;

struct Defined {};

TEST(FunctionKindTest, IsATypeAndNotAText) {
  const auto declared = FunctionKind::of<Declared>();
  EXPECT_TRUE(declared.is<Declared>());
  EXPECT_FALSE(declared.is<Defined>());
  EXPECT_EQ(declared, FunctionKind::of<Declared>());
  EXPECT_NE(declared, FunctionKind::of<Defined>());
  EXPECT_TRUE(declared.is_stated());
  EXPECT_FALSE(FunctionKind().is_stated());
  EXPECT_NE(FunctionKind(), declared);
}

TEST(FunctionDescriptionTest, HasOptionsByNameAndType) {
  const auto description = FunctionDescription::of<Declared>(
      {{"n", 3}, {"eps", 1e-5}, {"axis", Shape{0, -1}}, {"relu", true}});
  EXPECT_TRUE(description.is<Declared>());
  EXPECT_EQ(description.integer("n"), 3);
  EXPECT_EQ(description.number("eps"), 1e-5);
  EXPECT_EQ(description.sizes("axis"), Shape({0, -1}));
  EXPECT_TRUE(description.get<bool>("relu"));
  EXPECT_EQ(description.find("beta"), nullptr);
  const auto message = ThrowsMessage<ValueError>(
      HasSubstr("got n=3, eps=1e-05, axis=(0, -1), relu=true"));
  EXPECT_THAT([&] { description.integer("eps"); }, message);
  EXPECT_THAT([&] { description.integer("beta"); }, message);
  EXPECT_THAT(error_of<ValueError>([] { FunctionDescription().integer("n"); }),
              HasSubstr("got no options"));
}

TEST(FunctionDescriptionTest, TakesWhatOptionsStructsHold) {
  const Array weights = array::ones({2, 3}, Dtype::kFloat32);
  const auto text = [](const OptionValue& value) { return value.to_string(); };
  EXPECT_EQ(text(AxisSet()), "none");
  EXPECT_EQ(text(AxisSet({1, 2})), "(1, 2)");
  EXPECT_EQ(text(AxisSet(1)), "(1,)");
  EXPECT_EQ(text(Axis(-1)), "-1");
  EXPECT_EQ(text(std::optional<int64_t>()), "none");
  EXPECT_EQ(text(std::optional<int64_t>(-1)), "-1");
  EXPECT_EQ(text(Dtype::kFloat16), "float16");
  EXPECT_EQ(text(native_device()), "native:0");
  EXPECT_EQ(text("mean"), "mean");
  EXPECT_EQ(text(std::vector<int64_t>(3, 7)), "[7, 7, 7]");
  EXPECT_EQ(text(Scalar(0.5)), "0.5");
  EXPECT_EQ(text(Scalar(2)), "2");
  EXPECT_EQ(text(Array()), "none");
  EXPECT_EQ(text(weights), "float32 (2, 3)");
  EXPECT_TRUE(OptionValue(Array()).is_none());
  EXPECT_EQ(*OptionValue("L2").get_if<std::string>(), "L2");
}

struct SlopeParams {
  double slope;
  int64_t axis;

  template <class Visit>
  void visit_options(Visit visit) const {
    visit("slope", slope);
    visit("axis", axis);
  }
};

TEST(FunctionDescriptionTest, ReadsStructsThatNameTheirFields) {
  EXPECT_EQ(FunctionDescription::of<Declared>(options_of(SlopeParams{0.2, 1}))
                .to_string(),
            "slope=0.2, axis=1");
}

TEST(FunctionDescriptionTest, OfAFunctionThatStatesNothing) {
  const Variable y = testing::neg(Variable(array::ones({2}, Dtype::kFloat32)));
  const FunctionNode& function = *y.creator_node();
  EXPECT_FALSE(function.description().kind().is_stated());
  EXPECT_TRUE(function.description().options().empty());
  EXPECT_TRUE(function.repeats());
}

// Retains its second input.
class Keeping final : public FunctionNode {
 public:
  std::string_view label() const override { return "keeping"; }
  Arrays forward(const Arrays& in) override {
    retain_inputs({1});
    return {in[0] + in[1]};
  }
  Variables backward(const Indexes& wanted, const Variables& gy) override {
    return Variables(wanted.size(), gy[0]);
  }
};

TEST(FunctionNodeInputsTest, AreThereAsLongAsAnybodyHoldsThem) {
  std::optional<Variable> first(array::ones({2}, Dtype::kFloat32));
  std::optional<Variable> second(array::zeros({2}, Dtype::kFloat32));
  const Variable y = apply<Keeping>({*first, *second});
  const FunctionNode& function = *y.creator_node();
  EXPECT_THAT(function.kept_input(0), IsArray(first->data()));
  first.reset();
  second.reset();
  EXPECT_FALSE(function.kept_input(0).defined());
  EXPECT_THAT(function.kept_input(1),
              IsArray(array::zeros({2}, Dtype::kFloat32)));
}

}  // namespace
}  // namespace catena
