#pragma once

#include <functional>

#include "catena/autograd/variable.h"
#include "catena/tests/support/golden_device_test.h"

namespace catena::testing {

// A fixture for the golden cases of a differentiable function:
//
//   class LinearGolden : public FunctionGoldenTest {};
//   TEST_P(LinearGolden, AgreesWithChainer) {
//     check_case([&](const Variables& in) {
//       return linear(in[0], in[1], in.size() > 2 ? in[2] : Variable());
//     });
//   }
//   INSTANTIATE_TEST_SUITE_P(
//       Linear, LinearGolden,
//       every_device_and_case("functions/connection/linear"),
//       golden_device_name);
class FunctionGoldenTest : public GoldenDeviceTest {
 protected:
  // `F` gets the case's inputs, undefined if they were None, and returns one
  // Variable or a range or tuple of them.
  template <class F>
  void check_case(const F& function);

 private:
  using Call = std::function<std::vector<Variable>(const Variables&)>;

  // Compares outputs and, if the case has them, first and second order
  // gradients. The case must release everything afterwards.
  void check(const Call& call);
  Variables inputs() const;
  void check_forward(const Call& call);
  void check_gradients(const Call& call);
  void check_second_order(const Call& call);
  // A gradient without an expected value must be absent or zero.
  void expect_gradient(const Variable& gradient, const std::string& key);
};

namespace internal {

inline std::vector<Variable> as_list(const Variable& y) { return {y}; }
template <std::ranges::range Range>
std::vector<Variable> as_list(const Range& ys) {
  return {ys.begin(), ys.end()};
}

}  // namespace internal

template <class F>
void FunctionGoldenTest::check_case(const F& function) {
  check([&](const Variables& in) { return internal::as_list(function(in)); });
}

}  // namespace catena::testing
