#include "catena/functions/attention/plain_attention.h"

#include <limits>

#include "catena/array/creation.h"
#include "catena/array/index.h"
#include "catena/array/ufunc/ufunc.h"
#include "catena/functions/activation/softmax.h"
#include "catena/functions/activation/tanh.h"
#include "catena/functions/array/reshape.h"
#include "catena/functions/array/where.h"
#include "catena/functions/math/matmul.h"
#include "catena/functions/math/operators.h"

namespace catena::functions {
namespace {

constexpr double kMinusInfinity = -std::numeric_limits<double>::infinity();

// Which keys queries see, (B or 1, H or 1, T, S); undefined where all.
class Visible {
 public:
  const Array& array() const { return array_; }
  void limit_to(const Array& seen) {
    array_ = array_.defined() ? array::logical_and(array_, seen) : seen;
  }

 private:
  Array array_;
};

// The positions of queries, (T, 1), and of keys, (S,).
struct Positions {
  Array queries;
  Array keys;
};
Positions positions_of(int64_t queries, int64_t keys, Device device) {
  const DeviceScope scope(device);
  return {array::arange(keys - queries, keys).reshape(queries, 1),
          array::arange(keys)};
}

Visible visible(const AttentionOptions& options, const Positions& at) {
  Visible result;
  const Array distance = at.queries - at.keys;
  if (options.causal) result.limit_to(array::greater_equal(distance, 0));
  if (options.window)
    result.limit_to(array::less(array::abs(distance), *options.window));
  if (options.lengths.defined()) {
    const Array lengths = options.lengths.to_device(at.keys.device());
    result.limit_to(array::less(at.keys, lengths.reshape(-1, 1, 1, 1)));
  }
  const Array& mask = options.mask;
  if (mask.defined()) {
    result.limit_to(mask.dtype() == Dtype::kBool
                        ? mask
                        : array::not_equal(mask, kMinusInfinity));
  }
  return result;
}

}  // namespace

Variable plain_attention(const Variable& q, const Variable& k,
                         const Variable& v, const AttentionOptions& options,
                         const Array& factors) {
  const Dtype dtype = q.dtype();
  const int64_t batch = q.shape()[0];
  const int64_t heads = q.shape()[1];
  const int64_t queries = q.shape()[2];
  const int64_t kv_heads = k.shape()[1];
  const int64_t keys = k.shape()[2];
  const int64_t group = heads / kv_heads;
  // Heads that share keys and values along an axis of their own.
  const auto shared = [&](const Variable& x) {
    return reshape(x, {batch, kv_heads, 1, keys, x.shape()[3]});
  };
  const auto grouped = [&](const Variable& x) {
    return reshape(x, {batch, kv_heads, group, queries, x.shape()[3]});
  };
  const auto ungrouped = [&](const Variable& x) {
    return reshape(x, {batch, heads, queries, x.shape()[4]});
  };

  Variable scores = ungrouped(
      matmul(grouped(q), shared(k), {.transb = true, .alpha = *options.scale}));
  if (options.soft_cap > 0) {
    scores = tanh(scores / options.soft_cap) * options.soft_cap;
  }
  const Positions at = positions_of(queries, keys, q.device());
  if (options.alibi_slopes.defined()) {
    const Array distance = array::abs(at.queries - at.keys).astype(dtype);
    scores = scores -
             options.alibi_slopes.astype(dtype).reshape(-1, 1, 1) * distance;
  }
  const Visible seen = visible(options, at);
  const Array& mask = options.mask;
  if (mask.defined() && mask.dtype() != Dtype::kBool) {
    // Infinities are left to `seen`, since gradients of their scores are NaN.
    const Array zero = array::zeros({}, dtype, q.device());
    scores = scores + array::where(array::equal(mask, kMinusInfinity), zero,
                                   mask.astype(dtype));
  }
  if (!seen.array().defined()) {
    Variable weights = softmax(scores, {.axis = 3});
    if (factors.defined()) weights = weights * factors;
    return ungrouped(matmul(grouped(weights), shared(v)));
  }
  // Low, but not infinite: the softmax of a row without a key would be NaN.
  const double low = dtype == Dtype::kFloat16 ? -6e4 : -1e30;
  Variable weights = softmax(where(seen.array(), scores, low), {.axis = 3});
  weights = where(seen.array(), weights, 0.0);
  if (factors.defined()) weights = weights * factors;
  return ungrouped(matmul(grouped(weights), shared(v)));
}

}  // namespace catena::functions
