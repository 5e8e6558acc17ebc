#include "catena/autograd/debug.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "catena/array/core/error.h"
#include "catena/array/creation.h"
#include "catena/autograd/config.h"
#include "catena/autograd/function_node.h"
#include "catena/autograd/testing/simple_functions.h"
#include "catena/autograd/variable.h"
#include "catena/tests/testing/error_of.h"

namespace catena {
namespace {

using ::catena::testing::error_of;

const double kNan = std::nan("");

TEST(DebugTest, FindsNanInFloatingArrays) {
  for (const Dtype dtype :
       {Dtype::kFloat16, Dtype::kBFloat16, Dtype::kFloat32, Dtype::kFloat64}) {
    const Array bad = array::array({{1.0, 2.0}, {kNan, kNan}}).astype(dtype);
    EXPECT_THAT(
        error_of<GradientError>([&] { check_no_nan(bad, "f", "forward"); }),
        ::testing::StartsWith("f: NaN in the result of forward, first at flat "
                              "index 2 of shape (2, 2)"));
    EXPECT_THROW(check_no_nan(bad.T(), "f", "forward"), GradientError);
    const Array good = array::array({1.0, INFINITY}).astype(dtype);
    EXPECT_NO_THROW(check_no_nan(good, "f", "forward"));
  }
  EXPECT_NO_THROW(check_no_nan(array::array({1, 2}), "f", "forward"));
  EXPECT_NO_THROW(check_no_nan(array::zeros({0}), "f", "forward"));
}

TEST(DebugTest, NamesTheFunctionWhoseForwardGaveNan) {
  const Variable x(array::array({1.0, kNan}));
  EXPECT_NO_THROW(testing::exp(x));
  const auto scope = using_config(&Config::debug, true);
  EXPECT_THAT(
      error_of<GradientError>([&] { testing::exp(x); }),
      ::testing::StartsWith("exp: NaN in the result of forward, first at flat "
                            "index 1 of shape (2,)"));
}

// Its gradient is not a number.
class BadGradient final : public FunctionNode {
 public:
  std::string_view label() const override { return "BadGradient"; }
  Arrays forward(const Arrays& in) override { return in; }
  Variables backward(const Indexes&, const Variables& gy) override {
    return {as_variable(array::full_like(gy[0].data(), kNan))};
  }
};

TEST(DebugTest, NamesTheFunctionWhoseBackwardGaveNan) {
  const Variable x(array::array({1.0, 2.0}));
  const Variable y =
      testing::sum(testing::neg(apply<BadGradient>({testing::neg(x)})));
  y.backward();
  EXPECT_TRUE(std::isnan(x.grad()[0].item<double>()));
  x.cleargrad();
  const auto scope = using_config(&Config::debug, true);
  EXPECT_THAT(error_of<GradientError>([&] { y.backward(); }),
              ::testing::StartsWith(
                  "BadGradient: NaN in the result of backward, first at "
                  "flat index 0 of shape (2,)"));
  EXPECT_FALSE(x.grad().defined());
}

}  // namespace
}  // namespace catena

namespace mine {

[[gnu::noinline]] catena::Variable log_of_nothing(const catena::Variable& x) {
  // A call that is not the last, so that this function stays on the stack.
  catena::Variable y = catena::testing::exp(x);
  return y;
}

TEST(DebugTest, NamesTheCallThatAppliedTheFunction) {
  const catena::Variable x(catena::array::array({1.0, catena::kNan}));
  const catena::DebugMode debug(true);
  std::string message;
  try {
    log_of_nothing(x);
  } catch (const catena::GradientError& error) {
    message = error.what();
  }
  EXPECT_THAT(message,
              ::testing::HasSubstr("; applied by mine::log_of_nothing()"));
  const catena::Variable y =
      log_of_nothing(catena::Variable(catena::array::ones({2})));
  EXPECT_THAT(y.creator_node()->stack(),
              ::testing::AllOf(::testing::HasSubstr("mine::log_of_nothing()"),
                               ::testing::HasSubstr("main")));
}

TEST(DebugTest, KeepsNoStackOtherwise) {
  const catena::Variable y =
      log_of_nothing(catena::Variable(catena::array::ones({2})));
  EXPECT_EQ(y.creator_node()->stack(), "");
}

}  // namespace mine
