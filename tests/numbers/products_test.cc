// Products of arrays without elements, without axes, and of NaN, infinities and
// zeros, which no shortcut may drop.

#include <gtest/gtest.h>

#include <vector>

#include "catena/array/all.h"
#include "catena/tests/numbers/numpy_calls.h"

namespace catena::testing {
namespace {

namespace xp = catena::array;

template <class F>
NumpyRoutine product(F f) {
  // The sign of a zero depends on how many zeros are added.
  return {[f](const NumpyCall&, const Arrays& in) -> Arrays {
            return {f(in[0], in[1])};
          },
          {.any_zero = true}};
}

std::vector<NumpyDifference> product_differences() {
  return {
      {"0 times NaN or infinity is NaN in products of numbers, too",
       "a BLAS that multiplies by 0 does not look at the other factor",
       [](const NumpyCall& call) {
         const bool has_number =
             call.inputs[0].ndim() == 0 || call.inputs[1].ndim() == 0;
         const bool is_sum = call.routine == "dot" || call.routine == "inner" ||
                             call.routine == "tensordot_0";
         return has_number && is_sum && is_floating(call.inputs[0].dtype());
       },
       [](const NumpyCall& call) -> Arrays {
         return {xp::multiply(call.inputs[0], call.inputs[1])};
       }},
  };
}

TEST(ProductsTest, GiveWhatNumpyGives) {
  using A = const Array&;
  NumpyRoutines rows;
  rows["dot"] = product([](A a, A b) { return xp::dot(a, b); });
  rows["matmul"] = product([](A a, A b) { return xp::matmul(a, b); });
  rows["inner"] = product(xp::inner);
  rows["outer"] = product([](A a, A b) { return xp::outer(a, b); });
  rows["vdot"] = product(xp::vdot);
  rows["kron"] = product(xp::kron);
  rows["tensordot"] = product([](A a, A b) { return xp::tensordot(a, b, 1); });
  rows["tensordot_0"] =
      product([](A a, A b) { return xp::tensordot(a, b, 0); });
  expect_numpys_results("products", rows, product_differences());
}

}  // namespace
}  // namespace catena::testing
