#include "catena/functions/loss/negative_sampling.h"

#include <limits>

#include "catena/array/core/error.h"
#include "catena/array/creation.h"
#include "catena/array/index.h"
#include "catena/array/ufunc/ufunc.h"
#include "catena/autograd/config.h"
#include "catena/autograd/type_check.h"
#include "catena/functions/loss/internal/indexed_dot.h"
#include "catena/functions/loss/internal/labels.h"
#include "catena/functions/loss/internal/logit_losses.h"
#include "catena/functions/loss/internal/reduce_option.h"
#include "catena/functions/math/sum.h"

namespace catena::functions {
namespace {

constexpr std::string_view kName = "negative_sampling";

void check_types(const Variable& x, const Variable& t, const Variable& W) {
  if (!config().type_check) return;
  const VariableRef inputs[] = {x, t, W};
  TypeCheck in(kName, inputs);
  const auto [row, label, vectors] = in.names<3>({"x", "t", "W"});
  in.expect_floating(row);
  in.expect_integral(label);
  in.expect(vectors.dtype() == row.dtype(), row.ndim() == type_check::Term(2),
            vectors.ndim() == type_check::Term(2),
            label.ndim() == type_check::Term(1));
  in.expect(row.shape(0) == label.shape(0), row.shape(1) == vectors.shape(1));
}

// The samples with the labels as first column.
Array words_of(const Array& t, const Sampler& sampler, int64_t sample_size) {
  const Shape shape{t.shape()[0], sample_size + 1};
  const Array samples = sampler(shape);
  if (samples.shape() != shape || !is_integral(samples.dtype())) {
    raise<ValueError>(kName,
                      ": expected the sampler to return integers of shape ",
                      shape, ", got ", samples.dtype(), " ", samples.shape());
  }
  const bool fits =
      samples.dtype() == Dtype::kInt32 && t.dtype() == samples.dtype();
  const Array words = samples.astype(fits ? Dtype::kInt32 : Dtype::kInt64);
  words[{Slice(), 0}].assign(t);
  return words;
}

}  // namespace

Variable negative_sampling(const Variable& x, const Variable& t,
                           const Variable& W, const Sampler& sampler,
                           int64_t sample_size,
                           const NegativeSamplingOptions& options) {
  const bool sums = reduces(options.reduce, "sum", kName);
  if (sample_size < 0) {
    raise<ValueError>(kName, ": expected sample_size of at least 0, got ",
                      sample_size);
  }
  if (sample_size == std::numeric_limits<int64_t>::max()) {
    raise<ValueError>(kName, ": expected sample_size below 2^63 - 1, got ",
                      sample_size);
  }
  check_types(x, t, W);
  const CheckedLabels labels(t.data(), W.shape()[0], /*ignored=*/-1, kName);

  Array words = words_of(labels.array(), sampler, sample_size);
  Array signs = array::full({1, sample_size + 1}, -1, x.dtype(), x.device());
  signs[{0, 0}].fill(1);
  if (!labels.all_count()) {
    const Array counts = array::greater_equal(labels.array(), 0).expand_dims(1);
    words = array::where(counts, words, -1);
    signs = array::where(counts, signs, 0);
  }
  const Variable losses = logit_losses(indexed_dot(x, W, words, kName), signs);
  return sums ? sum(losses) : losses;
}

Variable negative_sampling(const Variable& x, const Array& t, const Variable& W,
                           const Sampler& sampler, int64_t sample_size,
                           const NegativeSamplingOptions& options) {
  return negative_sampling(x, as_variable(t), W, sampler, sample_size, options);
}

}  // namespace catena::functions
