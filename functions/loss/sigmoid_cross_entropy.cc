#include "catena/functions/loss/sigmoid_cross_entropy.h"

#include <algorithm>

#include "catena/autograd/config.h"
#include "catena/autograd/type_check.h"
#include "catena/functions/engines/elementwise/elementwise_node.h"
#include "catena/functions/loss/internal/labels.h"
#include "catena/functions/loss/internal/reduce_option.h"
#include "catena/functions/loss/internal/sigmoid_cross_entropy_ops.h"
#include "catena/functions/math/average.h"
#include "catena/functions/math/operators.h"
#include "catena/functions/math/sum.h"

namespace catena::functions {
namespace {

constexpr std::string_view kName = "sigmoid_cross_entropy";
constexpr int64_t kClasses = 2;
constexpr int64_t kIgnored = -1;

void check_types(const Variable& x, const Variable& t) {
  if (!config().type_check) return;
  const VariableRef inputs[] = {x, t};
  TypeCheck in(kName, inputs);
  const auto [score, label] = in.names<2>({"x", "t"});
  in.expect_floating(score);
  in.expect_integral(label);
  in.expect(score.shape() == label.shape());
}

}  // namespace

Variable sigmoid_cross_entropy(const Variable& x, const Variable& t,
                               const SigmoidCrossEntropyOptions& options) {
  const bool mean = is_mean(options.reduce, kName);
  check_types(x, t);
  const CheckedLabels labels(t.data(), kClasses, kIgnored, kName);
  const Variable losses = elementwise<SigmoidCrossEntropy>(
      x, as_variable(labels.array().astype(x.dtype())));
  if (!mean) return losses;
  if (x.size() == 0) return sum(losses);
  const auto size = static_cast<double>(x.size());
  if (!options.normalize) {
    const int64_t batch = x.ndim() == 0 ? 1 : x.shape()[0];
    return average(losses) * (size / static_cast<double>(batch));
  }
  const DeviceNumber& scale = labels.reciprocal_count();
  if (!scale.on_device().defined()) {
    return average(losses) * (size * scale.number());
  }
  return average(losses) *
         as_variable((scale.on_device() * size).astype(x.dtype()));
}

Variable sigmoid_cross_entropy(const Variable& x, const Array& t,
                               const SigmoidCrossEntropyOptions& options) {
  return sigmoid_cross_entropy(x, as_variable(t), options);
}

}  // namespace catena::functions
