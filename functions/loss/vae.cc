#include "catena/functions/loss/vae.h"

#include "catena/functions/engines/elementwise/elementwise_node.h"
#include "catena/functions/loss/internal/reduce_option.h"
#include "catena/functions/loss/internal/same_shape.h"
#include "catena/functions/loss/internal/vae_ops.h"

namespace catena::functions {
namespace {

// The reduced losses of a rule, for inputs of one shape.
template <class Rule, class... Inputs>
Variable reduced(const LikelihoodOptions& options, const Inputs&... inputs) {
  const LossReduction reduction = loss_reduction(options.reduce, Rule::kLabel);
  check_same_shape(Rule::kLabel, {inputs...}, Rule::kInputNames);
  return reduce_loss(elementwise<Rule>(inputs...), reduction);
}

}  // namespace

Variable bernoulli_nll(const Variable& x, const Variable& y,
                       const LikelihoodOptions& options) {
  return reduced<BernoulliNll>(options, x, y);
}

Variable gaussian_nll(const Variable& x, const Variable& mean,
                      const Variable& ln_var,
                      const LikelihoodOptions& options) {
  return reduced<GaussianNll>(options, x, mean, ln_var);
}

Variable gaussian_kl_divergence(const Variable& mean, const Variable& ln_var,
                                const LikelihoodOptions& options) {
  return reduced<GaussianKlDivergence>(options, mean, ln_var);
}

}  // namespace catena::functions
