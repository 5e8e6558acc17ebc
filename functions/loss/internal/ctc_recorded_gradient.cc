#include "catena/functions/loss/internal/ctc_recorded_gradient.h"

#include <vector>

#include "catena/array/creation.h"
#include "catena/array/index.h"
#include "catena/array/ufunc/ufunc.h"
#include "catena/functions/activation/log_softmax.h"
#include "catena/functions/array/cast.h"
#include "catena/functions/array/concat.h"
#include "catena/functions/array/get_item.h"
#include "catena/functions/array/reshape.h"
#include "catena/functions/array/scatter_add.h"
#include "catena/functions/array/separate.h"
#include "catena/functions/array/stack.h"
#include "catena/functions/array/where.h"
#include "catena/functions/engines/rows/row_call.h"
#include "catena/functions/loss/internal/ctc_ops.h"
#include "catena/functions/math/exp.h"
#include "catena/functions/math/logsumexp.h"
#include "catena/functions/math/operators.h"

namespace catena::functions {
namespace {

// The logarithm of an impossible path's probability. It is finite because the
// derivatives of infinities are NaN.
constexpr double kNever = -1e30;

// Values of path positions (B, P), where a path is at `same`, `next` or, if
// the blank between may be skipped, `second`.
Variable merge(const Variable& same, const Variable& next,
               const Variable& second, const Array& skips) {
  return logsumexp(stack({same, next, second + skips}), {.axis = 0});
}

// The columns [from, from + count).
Variable columns(const Variable& x, int64_t from, int64_t count) {
  return get_item(x, {Slice(), Slice(from, from + count)});
}

class Recursions {
 public:
  // `emissions` holds the log-probabilities of the paths' symbols, (B, P), for
  // each step.
  Recursions(const Variables& emissions, const CtcPaths& paths)
      : emissions_(emissions),
        length_(paths.length),
        counts_(paths.step_counts.expand_dims(1)),
        lengths_(paths.path_lengths.expand_dims(1)),
        skips_(array::maximum(paths.skips, kNever)),
        padding_(as_variable(array::full({counts_.shape()[0], kPadding}, kNever,
                                         skips_.dtype(), skips_.device()))) {}

  // The log-probability of the steps up to t and of being at each position, for
  // each t, (B, P), from the step after a sequence's last on that of the last.
  Variables alphas() const {
    const Array skips = skips_[{Slice(), Slice(0, length_)}];
    Variables alphas = {
        where(array::less(positions(), 2), emissions_[0], kNever)};
    for (size_t t = 1; t < emissions_.size(); ++t) {
      const Variable& same = alphas.back();
      const Variable before = concat({padding_, same}, {.axis = 1});
      const Variable alpha =
          emissions_[t] + merge(same, columns(before, 1, length_),
                                columns(before, 0, length_), skips);
      alphas.push_back(
          where(array::greater(counts_, static_cast<int64_t>(t)), alpha, same));
    }
    return alphas;
  }

  // The log-probability of the steps after t, given each position.
  Variables betas() const {
    const Array skips = skips_[{Slice(), Slice(kPadding, std::nullopt)}];
    const Array is_end =
        array::logical_and(array::less(positions(), lengths_),
                           array::greater_equal(positions() + 2, lengths_));
    const Variable last =
        as_variable(array::where(is_end, 0, kNever).astype(skips_.dtype()));
    const size_t steps = emissions_.size();
    Variables betas(steps);
    betas.back() = last;
    for (size_t t = steps - 1; t-- > 0;) {
      const Variable onward = betas[t + 1] + emissions_[t + 1];
      const Variable after = concat({onward, padding_}, {.axis = 1});
      const Variable beta = merge(onward, columns(after, 1, length_),
                                  columns(after, 2, length_), skips);
      betas[t] = where(array::greater(counts_, static_cast<int64_t>(t) + 1),
                       beta, last);
    }
    return betas;
  }

  // The log-likelihood of the labels, (B, 1).
  Variable log_likelihood(const Variable& alpha) const {
    const Variable padded = concat({padding_, alpha}, {.axis = 1});
    const Array rows =
        array::arange(counts_.shape()[0], Dtype::kInt64, counts_.device())
            .expand_dims(1);
    const Array ends = array::array({{0, 1}}, std::nullopt, counts_.device());
    return reshape(
        logsumexp(get_item(padded, {rows, lengths_ + ends}), {.axis = 1}),
        {-1, 1});
  }

 private:
  static constexpr int64_t kPadding = CtcArgs::kPadding;

  Array positions() const {
    return array::arange(length_, Dtype::kInt64, counts_.device());
  }

  const Variables& emissions_;
  int64_t length_;
  Array counts_;   // (B, 1)
  Array lengths_;  // (B, 1)
  Array skips_;    // (B, P + 2)
  Variable padding_;
};

}  // namespace

Variable recorded_ctc_gradient(const Variable& x, const Variable& c,
                               const CtcPaths& paths, const Array& fits) {
  const Shape& shape = x.shape();
  const int64_t steps = shape[0];
  const int64_t batch = shape[1];
  const int64_t symbols = shape[2];
  const Device device = x.device();
  const Array counted = array::logical_and(
      fits,
      array::less(array::arange(steps, Dtype::kInt64, device).expand_dims(1),
                  paths.step_counts));
  const Array mask = counted.expand_dims(2);  // (T, B, 1)

  // What the steps past the end hold must not get into any derivative.
  const Variable scores = where(mask, cast(x, computed_dtype(x.dtype())), 0);
  const Variable log_probs = log_softmax(scores, 2);
  const Array places =
      paths.symbols +
      array::arange(batch, Dtype::kInt64, device).expand_dims(1) * symbols;
  const Variable emissions =
      get_item(reshape(log_probs, {steps, batch * symbols}), places, 1);
  const Variables log_p =
      separate(where(array::less(emissions.data(), kNever), kNever, emissions));

  const Recursions recursions(log_p, paths);
  const Variables alphas = recursions.alphas();
  const Variables betas = recursions.betas();
  const Variable log_likelihood =
      where(fits.expand_dims(1), recursions.log_likelihood(alphas.back()), 0);
  const Variable occupied =
      exp(stack(alphas) + stack(betas) - log_likelihood);  // (T, B, P)

  const Variable none = as_variable(
      array::zeros({steps, batch * symbols}, occupied.dtype(), device));
  const Variable given =
      reshape(scatter_add(none, {Slice(), places}, occupied), shape);
  return cast(where(mask, c * (exp(log_probs) - given), 0), x.dtype());
}

}  // namespace catena::functions
