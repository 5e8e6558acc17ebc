#include "catena/autograd/variable.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <sstream>
#include <type_traits>
#include <vector>

#include "catena/array/core/error.h"
#include "catena/array/creation.h"
#include "catena/array/ufunc/ufunc.h"
#include "catena/autograd/parameter.h"
#include "catena/autograd/testing/live_objects.h"
#include "catena/autograd/testing/simple_functions.h"
#include "catena/autograd/variable_node.h"
#include "catena/tests/testing/array_matchers.h"
#include "catena/tests/testing/error_of.h"

namespace catena {
namespace {

using ::catena::testing::error_of;
using ::testing::HasSubstr;
using testing::IsArray;
using ::testing::ThrowsMessage;

Array values() { return array::array({{1.0, 2.0, 3.0}, {4.0, 5.0, 6.0}}); }

TEST(VariableTest, ShowsTheDescriptionOfItsArray) {
  const Array data = values();
  const Variable x(data, {.name = "x"});
  EXPECT_TRUE(x.defined());
  EXPECT_TRUE(x.data().is_same(data));
  EXPECT_TRUE(x.array().is_same(data));
  EXPECT_TRUE(as_array(x).is_same(data));
  EXPECT_EQ(x.shape(), Shape({2, 3}));
  EXPECT_EQ(x.ndim(), 2);
  EXPECT_EQ(x.size(), 6);
  EXPECT_EQ(x.len(), 2);
  EXPECT_EQ(x.dtype(), Dtype::kFloat64);
  EXPECT_EQ(x.device(), native_device());
  EXPECT_EQ(x.name(), "x");
  EXPECT_EQ(x.rank(), 0);
  EXPECT_TRUE(x.requires_grad());
  EXPECT_EQ(x.creator_node(), nullptr);
  EXPECT_FALSE(x.grad().defined());
  EXPECT_FALSE(x.grad_var().defined());
}

TEST(VariableTest, LabelsItselfByNameShapeAndDtype) {
  const Variable x(array::ones({2, 3}, Dtype::kFloat32));
  EXPECT_EQ(x.label(), "(2, 3), float32");
  x.set_name("h");
  EXPECT_EQ(x.label(), "h: (2, 3), float32");
  EXPECT_EQ(x.name(), "h");
}

TEST(VariableTest, HasNoLengthWithoutAxes) {
  const Variable x(array::array(1.0));
  EXPECT_THAT(error_of<ShapeError>([&] { x.len(); }),
              HasSubstr("at least one axis"));
}

TEST(VariableTest, PrintsItsArray) {
  std::ostringstream os;
  os << Variable(array::array({1.0, 2.0})) << ' ' << Variable();
  EXPECT_EQ(os.str(), "variable([1. 2.]) variable(undefined)");
}

TEST(VariableTest, DescribesItselfForDebugging) {
  const Variable x(array::array({1.0, 2.0, 3.0}), {.name = "x"});
  x.set_grad(array::full({3}, -0.5));
  EXPECT_EQ(x.debug_print(),
            "variable x\n"
            "- device: native:0\n"
            "- shape: (3,)\n"
            "- dtype: float64\n"
            "- data: mean=2, std=0.816496580927726, min=1, max=3\n"
            "- grad: mean=-0.5, std=0, min=-0.5, max=-0.5");
  EXPECT_THAT(Variable(array::zeros({0})).debug_print(),
              HasSubstr("\n- data: empty\n- grad: none"));
}

TEST(VariableTest, ThrowsWhenItIsUndefined) {
  const Variable x;
  EXPECT_FALSE(x.defined());
  const auto message = ThrowsMessage<ValueError>(
      HasSubstr("expected a defined variable, got an undefined one"));
  EXPECT_THAT([&] { x.data(); }, message);
  EXPECT_THAT([&] { x.grad(); }, message);
  EXPECT_THAT([&] { x.set_data(values()); }, message);
  EXPECT_THAT([&] { x.set_grad(values()); }, message);
  EXPECT_THAT([&] { x.cleargrad(); }, message);
  EXPECT_THAT([&] { x.label(); }, message);
  EXPECT_THAT([&] { x.unchain(); }, message);
  EXPECT_THAT([&] { x.unchain_backward(); }, message);
  EXPECT_THAT([&] { x.debug_print(); }, message);
  EXPECT_THAT([&] { x.to_device(native_device(1)); }, message);
}

TEST(VariableTest, IsSharedByItsHandles) {
  const Variable x(values());
  const Variable same = x;
  EXPECT_TRUE(same.is_same(x));
  EXPECT_FALSE(same.is_same(Variable(values())));
  same.set_name("x");
  same.set_grad(values());
  EXPECT_EQ(x.name(), "x");
  EXPECT_THAT(x.grad(), IsArray(values()));
}

TEST(VariableTest, MovesItsHandle) {
  Variable x(values());
  Variable y = std::move(x);
  EXPECT_FALSE(x.defined());
  EXPECT_THAT(y.data(), IsArray(values()));
  y = Variable();
  EXPECT_FALSE(y.defined());
}

TEST(VariableTest, TakesANewArray) {
  const Variable x(values());
  const Array other = array::ones({2, 3});
  x.set_grad(values());
  x.set_data(other);
  EXPECT_TRUE(x.data().is_same(other));
  EXPECT_THAT(x.grad(), IsArray(values()));
}

TEST(VariableTest, DropsAGradientThatDoesNotFitTheNewArray) {
  const Variable x(values());
  for (const Array& other :
       {array::ones({3, 2}), array::ones({2, 3}, Dtype::kFloat32),
        array::ones({2, 3}, Dtype::kFloat64, native_device(1))}) {
    x.set_data(values());
    x.set_grad(values());
    x.set_data(other);
    EXPECT_FALSE(x.grad().defined()) << other.shape() << other.dtype();
  }
}

TEST(VariableTest, RejectsAGradientUnlikeItsData) {
  const Variable x(values());
  EXPECT_THAT(error_of<ShapeError>([&] {
                x.set_grad(array::ones({3, 2}));
              }),
              ::testing::StrEq(
                  "set_grad: expected a gradient of shape (2, 3), got (3, 2)"));
  EXPECT_THAT(
      error_of<DtypeError>([&] {
        x.set_grad(array::ones({2, 3}, Dtype::kFloat32));
      }),
      ::testing::StrEq(
          "set_grad: expected a gradient of dtype float64, got float32"));
  EXPECT_THAT(error_of<DeviceError>(
                  [&] { x.set_grad(values().to_device(native_device(1))); }),
              ::testing::StrEq(
                  "set_grad: expected a gradient on native:0, got native:1"));
  EXPECT_FALSE(x.grad().defined());
  EXPECT_THROW(x.set_grad_var(Variable(array::ones({1}))), ShapeError);
}

TEST(VariableTest, TakesAwayItsGradient) {
  const Variable x(values());
  x.set_grad(values());
  x.cleargrad();
  EXPECT_FALSE(x.grad().defined());
  x.set_grad(values());
  x.set_grad(Array());
  EXPECT_FALSE(x.grad().defined());
  x.set_grad_var(Variable());
  EXPECT_FALSE(x.grad_var().defined());
}

TEST(VariableTest, FillsItsGradientWithZeros) {
  const Variable x(values().astype(Dtype::kFloat16));
  x.zerograd();
  EXPECT_THAT(x.grad(), IsArray(array::zeros({2, 3}, Dtype::kFloat16)));
  const Array old = x.grad();
  old.fill(3);
  x.zerograd();
  EXPECT_THAT(x.grad(), IsArray(array::zeros({2, 3}, Dtype::kFloat16)));
}

TEST(VariableTest, AddsAnothersGradient) {
  const Variable x(values());
  const Variable other(values().to_device(native_device(1)));
  x.addgrad(other);
  EXPECT_FALSE(x.grad().defined());
  other.set_grad(values().to_device(native_device(1)));
  x.addgrad(other);
  EXPECT_THAT(x.grad(), IsArray(values()));
  const Array held = x.grad();
  x.addgrad(other);
  EXPECT_THAT(x.grad(), IsArray(2.0 * values()));
  EXPECT_THAT(held, IsArray(values()));
  EXPECT_THAT(other.grad(), IsArray(values().to_device(native_device(1))));
}

TEST(VariableTest, AddsACopyOfAnothersGradient) {
  const Variable x(values());
  const Variable other(values());
  other.set_grad(values());
  x.addgrad(other);
  x.grad() += 1.0;
  EXPECT_THAT(other.grad(), IsArray(values()));
}

TEST(VariableTest, RejectsToAddAGradientOfAnotherShape) {
  const Variable x(values());
  const Variable other(array::ones({3}));
  other.set_grad(array::ones({3}));
  EXPECT_THAT(
      error_of<ShapeError>([&] { x.addgrad(other); }),
      HasSubstr("addgrad: expected a gradient of shape (2, 3), got (3,)"));
}

TEST(VariableTest, CopiesAnothersElementsIntoItsArray) {
  const Variable x(array::zeros({2, 3}));
  const Array data = x.data();
  x.copydata(Variable(values().to_device(native_device(1))));
  EXPECT_TRUE(x.data().is_same(data));
  EXPECT_THAT(data, IsArray(values()));
  EXPECT_THAT(
      error_of<ShapeError>([&] { x.copydata(Variable(array::zeros({3}))); }),
      ::testing::StrEq("copydata: expected shape (2, 3), got (3,)"));
}

TEST(VariableTest, MovesDataAndGradientToADevice) {
  const Variable x(values());
  x.set_grad(2.0 * values());
  x.to_device(native_device(1));
  EXPECT_EQ(x.device(), native_device(1));
  EXPECT_THAT(x.data(), IsArray(values().to_device(native_device(1))));
  EXPECT_THAT(x.grad(), IsArray((2.0 * values()).to_device(native_device(1))));
}

TEST(VariableTest, MakesAConstantOfAnArray) {
  const Array data = values();
  const Variable x = as_variable(data);
  EXPECT_FALSE(x.requires_grad());
  EXPECT_TRUE(x.data().is_same(data));
}

bool requires_grad(const Variable& x) { return x.requires_grad(); }

TEST(VariableTest, TakesAnArrayAsAConstantArgument) {
  const Array a = values();
  EXPECT_FALSE(requires_grad(a));
  EXPECT_FALSE(requires_grad(a[0]));
  EXPECT_FALSE(requires_grad(values()));
  EXPECT_TRUE(requires_grad(Variable(a)));
  EXPECT_TRUE(requires_grad(Variable(a[0])));
  EXPECT_TRUE(requires_grad(Variable{a}));
  const Variable y = testing::mul(Variable(a), a);
  EXPECT_THAT(y.data(), IsArray(array::array({{1.0, 4.0, 9.0},  //
                                              {16.0, 25.0, 36.0}})));
  const std::vector<Variable> both = {a, y};
  EXPECT_TRUE(both[0].data().is_same(a));
  EXPECT_FALSE(both[0].requires_grad());
}

TEST(VariableTest, IsUndefinedIfAnArrayArgumentIs) {
  const auto defined = [](const Variable& x) { return x.defined(); };
  EXPECT_TRUE(defined(values()));
  EXPECT_FALSE(defined(Array()));
}
// Two conversions of an argument are one too many for C++: operators of
// variables, which take a VariableRef, do not take two arrays.
static_assert(std::is_convertible_v<Array, Variable>);
static_assert(!std::is_convertible_v<Array, VariableRef>);
static_assert(!std::is_assignable_v<Parameter&, Array>);
static_assert(!std::is_convertible_v<double, Variable>);

TEST(VariableTest, ItemIsTheOnlyElement) {
  EXPECT_EQ(Variable(array::array({2.5})).item<float>(), 2.5f);
  EXPECT_THROW(Variable(values()).item<double>(), ShapeError);
}

TEST(VariableNodeTest, LosesTheDataWithTheLastHandle) {
  const testing::ExpectNoSurvivors survivors;
  Variable x(array::ones({1000}));
  const Ref<VariableNode> node(x.node());
  const int64_t with_data = survivors.bytes();
  EXPECT_TRUE(node->has_handle());
  x = Variable();
  EXPECT_FALSE(node->has_handle());
  EXPECT_LE(survivors.bytes(), with_data - 8000);
  EXPECT_FALSE(node->data().defined());
  EXPECT_EQ(node->shape(), Shape({1000}));
  EXPECT_EQ(node->dtype(), Dtype::kFloat64);
  EXPECT_EQ(node->device(), native_device());
  EXPECT_EQ(node->label(), "(1000,), float64");
}

TEST(VariableNodeTest, GivesAHandleAgainAfterAllHaveGone) {
  const testing::ExpectNoSurvivors survivors;
  Variable x(values());
  const Ref<VariableNode> node(x.node());
  x = Variable();
  x = Variable::from_node(node.get());
  EXPECT_FALSE(x.data().defined());
  x.set_data(values());
  EXPECT_THAT(x.data(), IsArray(values()));
}

TEST(VariableNodeTest, BreaksTheCycleOfAGradientMadeOfItsVariable) {
  const testing::ExpectNoSurvivors survivors;
  const Variable x(values());
  x.set_grad_var(testing::mul(x, x));
}

TEST(VariableTest, CutsTheLinkToItsFunctionAlone) {
  const testing::ExpectNoSurvivors survivors;
  const Variable x(values());
  const Variable h = testing::exp(x);
  const Variable y = testing::exp(h);
  y.unchain();
  EXPECT_EQ(y.creator_node(), nullptr);
  EXPECT_NE(h.creator_node(), nullptr);
  y.unchain();
}

TEST(VariableTest, CutsAllLinksBehindItAndKeepsTheData) {
  const testing::ExpectNoSurvivors survivors;
  const Variable x(values());
  const Variable h = testing::exp(x);
  const Variable both = testing::mul(h, testing::add(h, x));
  const Variable y = testing::sum(both);
  y.unchain_backward();
  for (const Variable& v : {h, both, y}) {
    EXPECT_EQ(v.creator_node(), nullptr);
  }
  EXPECT_THAT(h.data(), IsArray(array::exp(values())));
  y.backward();
  EXPECT_FALSE(x.grad().defined());
  testing::sum(testing::neg(h)).backward();
  EXPECT_THAT(h.grad(), IsArray(-array::ones({2, 3})));
}

}  // namespace
}  // namespace catena
