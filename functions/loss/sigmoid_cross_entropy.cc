#include "catena/functions/loss/sigmoid_cross_entropy.h"

#include <algorithm>

#include "catena/array/reduce.h"
#include "catena/array/ufunc.h"
#include "catena/autograd/config.h"
#include "catena/autograd/type_check.h"
#include "catena/functions/elementwise/elementwise_node.h"
#include "catena/functions/loss/reduce_option.h"
#include "catena/functions/loss/sigmoid_cross_entropy_ops.h"
#include "catena/functions/math/average.h"
#include "catena/functions/math/operators.h"
#include "catena/functions/math/sum.h"

namespace catena::functions {
namespace {

void check_types(const Variable& x, const Variable& t) {
  if (!config().type_check) return;
  const VariableRef inputs[] = {x, t};
  TypeCheck in("sigmoid_cross_entropy", inputs);
  const auto [score, label] = in.names<2>({"x", "t"});
  in.expect_floating(score);
  in.expect_integral(label);
  in.expect(score.shape() == label.shape());
}

}  // namespace

Variable sigmoid_cross_entropy(const Variable& x, const Variable& t,
                               const SigmoidCrossEntropyOptions& options) {
  const bool mean = is_mean(options.reduce, "sigmoid_cross_entropy");
  check_types(x, t);
  const Variable losses = elementwise<SigmoidCrossEntropy>(
      x, as_variable(t.data().astype(x.dtype())));
  if (!mean) return losses;
  const auto size = static_cast<double>(x.size());
  if (size == 0) return sum(losses);
  if (!options.normalize) {
    return average(losses) * (size / std::max<double>(x.shape()[0], 1));
  }
  // As an array, so that nobody waits for the device to count.
  const Array count =
      array::maximum(array::count_nonzero(array::not_equal(t.data(), -1)), 1);
  return average(losses) * array::true_divide(size, count).astype(x.dtype());
}

Variable sigmoid_cross_entropy(const Variable& x, const Array& t,
                               const SigmoidCrossEntropyOptions& options) {
  return sigmoid_cross_entropy(x, as_variable(t), options);
}

}  // namespace catena::functions
