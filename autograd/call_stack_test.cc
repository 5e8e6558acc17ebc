// Compiled with -g, unlike other tests: here lines are known.

#include "catena/autograd/call_stack.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <string>

#include "catena/array/core/error.h"
#include "catena/array/core/source_location.h"
#include "catena/array/creation.h"
#include "catena/autograd/config.h"
#include "catena/autograd/function_node.h"
#include "catena/autograd/testing/simple_functions.h"
#include "catena/autograd/variable.h"
#include "catena/tests/testing/error_of.h"

// Functions of catena's namespaces are not a user's.
namespace mine {
namespace {

using ::catena::GradientError;
using ::catena::str;
using ::catena::Variable;
using ::catena::testing::error_of;
using ::testing::AllOf;
using ::testing::HasSubstr;

uint32_t line_of_call = 0;

[[gnu::noinline]] Variable exp_of(const Variable& x) {
  // A call that is not the last, so that this function stays on the stack.
  line_of_call = catena::SourceLocation::current().line() + 1;
  Variable y = catena::testing::exp(x);
  return y;
}

std::string place_of_call() {
  return str("autograd/call_stack_test.cc:", line_of_call);
}

TEST(CallStackTest, NamesTheLineOfTheCallThatMadeNan) {
  const Variable x(catena::array::array({1.0, std::nan("")}));
  const catena::DebugMode debug(true);
  const std::string message = error_of<GradientError>([&] { exp_of(x); });
  EXPECT_THAT(message,
              AllOf(HasSubstr("; applied by mine::"), HasSubstr("exp_of() at "),
                    HasSubstr(place_of_call())));
}

TEST(CallStackTest, NamesTheLineOfEachCall) {
  const catena::DebugMode debug(true);
  const uint32_t line = catena::SourceLocation::current().line() + 1;
  const Variable y = exp_of(Variable(catena::array::ones({2})));
  EXPECT_THAT(
      y.creator_node()->stack(),
      AllOf(HasSubstr(place_of_call() + "\n"),
            HasSubstr(str("autograd/call_stack_test.cc:", line, "\n"))));
}

}  // namespace
}  // namespace mine
