#include "catena/functions/math/operators.h"

#include <gmock/gmock.h>

#include "catena/array/core/error.h"
#include "catena/array/creation.h"
#include "catena/autograd/config.h"
#include "catena/tests/testing/array_matchers.h"
#include "catena/tests/testing/device_test.h"
#include "catena/tests/testing/error_of.h"
#include "catena/tests/testing/function_gradients.h"

namespace catena {
namespace {

using ::catena::testing::error_of;
using ::testing::HasSubstr;

using Binary = Variable (*)(const Variable&, const Variable&);
struct NamedBinary {
  const char* name;
  Binary call;
};
constexpr NamedBinary kBinary[] = {
    {"+", [](const Variable& a, const Variable& b) { return a + b; }},
    {"-", [](const Variable& a, const Variable& b) { return a - b; }},
    {"*", [](const Variable& a, const Variable& b) { return a * b; }},
    {"/", [](const Variable& a, const Variable& b) { return a / b; }},
    {"pow", [](const Variable& a, const Variable& b) { return pow(a, b); }},
};

class OperatorsTest : public testing::DeviceTest {};
INSTANTIATE_TEST_SUITE_P(Operators, OperatorsTest, testing::every_device(),
                         testing::device_name);

TEST_P(OperatorsTest, GradientsMatchFiniteDifferences) {
  for (const auto& [name, call] : kBinary) {
    SCOPED_TRACE(name);
    const auto check = [&, call = call](const Shape& lhs, const Shape& rhs) {
      testing::check_function_gradients(
          call, {testing::uniform(lhs, 0.5, 2),
                 testing::uniform(rhs, 0.5, 2, Dtype::kFloat64, 9)});
    };
    check({2, 3}, {2, 3});
    check({2, 3}, {3});
    check({2, 1}, {4, 1, 3});
    check({}, {2});
    check({0, 3}, {3});
  }
}

TEST_P(OperatorsTest, GradientsWithNumbersMatchFiniteDifferences) {
  const Array x = testing::uniform({2, 3}, 0.5, 2);
  using Unary = Variable (*)(const Variable&);
  const Unary calls[] = {
      [](const Variable& x) { return x + 2; },
      [](const Variable& x) { return 2 + x; },
      [](const Variable& x) { return x - 0.5f; },
      [](const Variable& x) { return 0.5 - x; },
      [](const Variable& x) { return x * 3; },
      [](const Variable& x) { return 3 * x; },
      [](const Variable& x) { return x / 3; },
      [](const Variable& x) { return 3 / x; },
      [](const Variable& x) { return pow(x, 2); },
      [](const Variable& x) { return pow(x, 3); },
      [](const Variable& x) { return pow(x, 0.5); },
      [](const Variable& x) { return pow(x, -1); },
      [](const Variable& x) { return pow(x, 1); },
      [](const Variable& x) { return pow(x, 0); },
      [](const Variable& x) { return pow(x, 2.5); },
      [](const Variable& x) { return pow(2.5, x); },
      [](const Variable& x) { return -x; },
      [](const Variable& x) { return abs(x); },
  };
  for (size_t i = 0; i < std::size(calls); ++i) {
    SCOPED_TRACE(i);
    testing::check_function_gradients(calls[i], {x});
  }
}

TEST_P(OperatorsTest, TakeArraysAsConstants) {
  const Array a = testing::uniform({2, 3}, 0.5, 2);
  const Array b = testing::uniform({3}, 0.5, 2, Dtype::kFloat64, 2);
  const Variable x(a);
  EXPECT_THAT((x + b).data(), testing::IsArray(a + b));
  EXPECT_THAT((b - x).data(), testing::IsArray(b - a));
  EXPECT_THAT((x * b).data(), testing::IsArray(a * b));
  EXPECT_THAT((b / x).data(), testing::IsArray(b / a));
  EXPECT_THAT(pow(x, b).data(), testing::IsClose(pow(x, Variable(b)).data()));
  EXPECT_THAT(pow(b, x).data(), testing::IsClose(pow(Variable(b), x).data()));
  EXPECT_THAT(floordiv(b, x).data(),
              testing::IsArray(floordiv(Variable(b), x).data()));
  EXPECT_THAT(floordiv(x, b).data(),
              testing::IsArray(floordiv(x, Variable(b)).data()));
  const Variable y = (b + x) * b / b - b;
  y.set_grad(array::ones_like(y.data()));
  y.backward();
  EXPECT_THAT(x.grad(), testing::IsClose(array::ones_like(a)));
}

TEST_P(OperatorsTest, ProductsKeepOnlyWhatTheirGradientsRead) {
  const Variable x(array::ones({3}));
  const Variable w(array::ones({3}));
  const Variable c = as_variable(array::ones({3}));
  {
    const Variable y = x * c;
    EXPECT_EQ(x.data().use_count(), 1);
    EXPECT_EQ(c.data().use_count(), 2);
  }
  const Variable y = x * w;
  EXPECT_EQ(x.data().use_count(), 2);
  EXPECT_EQ(w.data().use_count(), 2);
}

TEST_P(OperatorsTest, NumbersNeverWidenTheDtype) {
  for (const Dtype dtype : testing::float_dtypes()) {
    const Variable x(testing::uniform({3}, 0.5, 2, dtype));
    for (const Variable& y :
         {x + 1.5, 1.5 + x, x - 1.5, 1.5 - x, x * 1.5, x / 1.5, 1.5 / x,
          pow(x, 1.5), pow(1.5, x), floordiv(x, 1.5), floordiv(1.5, x)}) {
      EXPECT_EQ(y.dtype(), dtype);
      if (y.rank() > 0) {
        x.cleargrad();
        y.set_grad(array::ones_like(y.data()));
        y.backward();
        if (x.grad().defined()) {
          EXPECT_EQ(x.grad().dtype(), dtype);
        }
      }
    }
  }
}

TEST_P(OperatorsTest, AssignmentRebindsAndLeavesTheArrayAlone) {
  const Array data = array::ones({2});
  const Variable x(data);
  Variable y = x;
  y += x;
  y *= 3;
  y -= data;
  y /= 2.5;
  EXPECT_THAT(y.data(), testing::IsArray(array::full({2}, 2.0)));
  EXPECT_THAT(x.data(), testing::IsArray(array::ones({2})));
  EXPECT_FALSE(y.is_same(x));
  y.set_grad(array::ones({2}));
  y.backward();
  EXPECT_THAT(x.grad(), testing::IsClose(array::full({2}, 2.4)));
}

TEST_P(OperatorsTest, ExponentGetsNoGradientWhereTheBaseIsZero) {
  const Variable x(array::zeros({1}));
  const Variable p(array::full({1}, 2.0));
  const Variable y = pow(x, p);
  y.set_grad(array::ones({1}));
  y.backward();
  EXPECT_THAT(x.grad(), testing::IsArray(array::zeros({1})));
  EXPECT_THAT(p.grad(), testing::IsArray(array::zeros({1})));
}

TEST_P(OperatorsTest, FloorDivisionPassesNoGradient) {
  const Variable x(array::full({1}, 5.0));
  const Variable y = floordiv(x, 2) * x;
  y.set_grad(array::ones({1}));
  y.backward();
  EXPECT_THAT(x.grad(), testing::IsArray(array::full({1}, 2.0)));
}

TEST(OperatorsErrorTest, NameOperandsOfOtherDtypesAndShapes) {
  const Variable x(array::zeros({2, 3}, Dtype::kFloat32));
  EXPECT_THAT(error_of<InvalidType>([&] {
                x + Variable(array::zeros({2, 3}));
              }),
              HasSubstr("Invalid operation is performed in: _ + _ (Forward)\n\n"
                        "Expect: lhs.dtype == rhs.dtype\n"
                        "Actual: float32 != float64\n"
                        "Inputs: lhs float32 (2, 3), rhs float64 (2, 3)"));
  EXPECT_THAT(error_of<InvalidType>(
                  [&] { x* Variable(array::zeros({2}, Dtype::kFloat32)); }),
              HasSubstr("_ * _ (Forward)\n\nExpect: shapes that broadcast "
                        "together"));
  const Variable n(array::arange(3));
  EXPECT_THAT(error_of<InvalidType>([&] { n - n; }),
              HasSubstr("Expect: lhs.dtype is floating\nActual: int64"));
  EXPECT_THAT(error_of<InvalidType>([&] { n / 2; }),
              HasSubstr("Expect: x.dtype is floating"));
}

TEST(OperatorsErrorTest, NameBothDevices) {
  const Variable x(array::zeros({2}));
  const Variable y(array::zeros({2}).to_device(native_device(1)));
  EXPECT_THAT(error_of<DeviceError>([&] { x + y; }),
              HasSubstr("_ + _: expected inputs on one device, got "
                        "native:0 and native:1"));
}

TEST(OperatorsErrorTest, CheckDtypesAlsoWithoutTheTypeCheck) {
  const auto scope = using_config(&Config::type_check, false);
  const Variable x(array::zeros({2}));
  const Variable y(array::zeros({2}, Dtype::kFloat32));
  EXPECT_THROW(x + y, DtypeError);
  EXPECT_THROW(y * x, DtypeError);
  const Variable n(array::arange(3));
  EXPECT_THROW(n / n, DtypeError);
}

TEST(OperatorsErrorTest, NameWhatIsUndefined) {
  const Variable x(array::zeros({2}));
  EXPECT_THAT(error_of<ValueError>([&] { x + Variable(); }),
              HasSubstr("_ + _"));
}

}  // namespace
}  // namespace catena
