#include "catena/functions/math/variable_methods.h"

#include <gmock/gmock.h>

#include "catena/array/core/error.h"
#include "catena/array/creation.h"
#include "catena/array/ufunc/ufunc.h"
#include "catena/autograd/parameter.h"
#include "catena/tests/testing/array_matchers.h"
#include "catena/tests/testing/device_test.h"
#include "catena/tests/testing/error_of.h"
#include "catena/tests/testing/function_gradients.h"

namespace catena {
namespace {

using ::catena::testing::error_of;
using ::testing::HasSubstr;
using testing::IsArray;

class VariableMethodsTest : public testing::DeviceTest {};
INSTANTIATE_TEST_SUITE_P(VariableMethods, VariableMethodsTest,
                         testing::every_device(), testing::device_name);

TEST_P(VariableMethodsTest, GradientsMatchFiniteDifferences) {
  const auto check = [](Variable (*method)(const Variable&)) {
    testing::check_function_gradients(method,
                                      {testing::uniform({3, 4, 2}, 0.1, 1)});
  };
  check([](const Variable& x) { return x[1]; });
  check([](const Variable& x) { return x[{1, Slice(0, 4, 2), newaxis}]; });
  check([](const Variable& x) { return x[{array::array({2, 0}), 1}]; });
  check([](const Variable& x) { return x[array::array({2, 0, 2})]; });
  check([](const Variable& x) { return x.reshape({2, -1}); });
  check([](const Variable& x) { return x.reshape(2, -1); });
  check([](const Variable& x) { return x.transpose(); });
  check([](const Variable& x) { return x.transpose({1, 0, 2}); });
  check([](const Variable& x) { return x.transpose(1, 0, 2); });
  check([](const Variable& x) { return x.T(); });
  check([](const Variable& x) { return x.sum(); });
  check([](const Variable& x) { return x.sum(1); });
  check([](const Variable& x) { return x.mean(); });
  check([](const Variable& x) { return x.mean(-1); });
  check([](const Variable& x) { return x.max(); });
  check([](const Variable& x) { return x.max(0); });
  check([](const Variable& x) { return x.min(); });
  check([](const Variable& x) { return x.min(0); });
}

TEST_P(VariableMethodsTest, ComputeWhatTheFunctionsCompute) {
  const Array a = array::array({{3.0, -1.0, 4.0}, {0.0, 5.0, -9.0}});
  const Variable x(a);
  EXPECT_THAT(x[0].data(), IsArray(a[0]));
  EXPECT_THAT(x[-1].data(), IsArray(a[1]));
  EXPECT_THAT((x[{0, Slice(1, 3)}].data()), IsArray(a[{0, Slice(1, 3)}]));
  EXPECT_THAT((x[{ellipsis, 2}].data()), IsArray(array::array({4.0, -9.0})));
  EXPECT_THAT(x[array::greater(a, 0)].data(),
              IsArray(array::array({3.0, 4.0, 5.0})));
  EXPECT_THAT(x[array::array({1, 1})].data(),
              IsArray(array::array({{0.0, 5.0, -9.0}, {0.0, 5.0, -9.0}})));
  EXPECT_THAT(x.reshape({3, -1}).data(), IsArray(a.reshape({3, 2})));
  EXPECT_THAT(x.reshape(-1).data(), IsArray(a.ravel()));
  EXPECT_THAT(x.T().data(), IsArray(a.T()));
  EXPECT_THAT(x.transpose(1, 0).data(), IsArray(a.T()));
  EXPECT_EQ(x.sum().item<double>(), 2);
  EXPECT_THAT(x.sum({.axis = 0, .keepdims = true}).data(),
              IsArray(array::array({{3.0, 4.0, -5.0}})));
  EXPECT_EQ(x.mean({0, 1}).item<double>(), 2.0 / 6);
  EXPECT_THAT(x.mean({.axis = 1}).data(), IsArray(array::array({2, -4.0 / 3})));
  EXPECT_THAT(x.max({.axis = 1}).data(), IsArray(array::array({4.0, 5.0})));
  EXPECT_THAT(x.min({.axis = 1}).data(), IsArray(array::array({-1.0, -9.0})));
}

TEST_P(VariableMethodsTest, OfAParameterAreThoseOfAVariable) {
  const Parameter W(array::ones({2, 3}), "W");
  W.T()[0].sum().backward();
  EXPECT_THAT(W.grad(),
              IsArray(array::array({{1.0, 0.0, 0.0}, {1.0, 0.0, 0.0}})));
}

TEST_P(VariableMethodsTest, RejectWhatTheFunctionsReject) {
  const Variable x(array::zeros({2, 3}));
  EXPECT_THAT(error_of<InvalidType>([&] { x.reshape({4}); }),
              HasSubstr("reshape"));
  EXPECT_THAT(error_of<InvalidType>([&] { x.sum(2); }), HasSubstr("sum"));
  EXPECT_THROW(x[2], IndexError);
  EXPECT_THROW(Variable().T(), ValueError);
}

}  // namespace
}  // namespace catena
