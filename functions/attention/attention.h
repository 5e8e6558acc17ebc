#pragma once

#include <cstdint>
#include <optional>

#include "catena/autograd/variable.h"

namespace catena::functions {

struct AttentionOptions {
  NamedFieldsOnly keywords = {};
  // Multiplies the products of queries and keys; by default 1 / sqrt(d).
  std::optional<double> scale = std::nullopt;
  // Whether a query sees no key after its own. The last query is that of the
  // last key, so that this also holds where earlier keys come from a cache.
  bool causal = false;
  // A query sees only keys less than this far from its own.
  std::optional<int64_t> window = std::nullopt;
  // Which keys a query sees, if bool, else what is added to scores; without a
  // gradient. Its shape broadcasts to (B, H, T, S).
  Array mask = {};
  // (B,), integers: an item has that many keys. The host reads them.
  Array lengths = {};
  // (H,), floating: what a head subtracts from scores for each key that lies
  // between a query's own and the key (Press, Smith, Lewis, 2021).
  Array alibi_slopes = {};
  // With a positive soft cap c, products x become c tanh(x / c).
  double soft_cap = 0;
  // In training, the probability with which a weight is dropped; the others are
  // scaled by 1 / (1 - dropout).
  double dropout = 0;
};

// Each query's mean of the values, weighted by the softmax of its scores:
//
//   y = softmax(scale q k^T + mask) v
//
// q is (B, H, T, d), k (B, Hkv, S, d) and v (B, Hkv, S, dv), of one floating
// dtype, where Hkv divides H: H / Hkv neighbouring heads share keys and values.
// y is (B, H, T, dv). A query that sees no key gives zeros, and its gradients
// are zeros, too.
//
// Memory is linear in T and S, forward and backward: scores are computed in
// tiles, and again for gradients. Gradients that are recorded, for derivatives
// of higher order, need all scores, and so do GPUs where a query, key or value
// has more than 512 bytes. On GPUs, 16-bit types are multiplied by tensor
// cores, which take weights and their gradients rounded to 16 bits, too. y and
// the gradients have their axes in memory in the order of q, k and v:
// transposed views of (B, T, H, d) give such a y.
//
// Throws InvalidType when shapes or dtypes do not match; ValueError when the
// scale or soft cap is not finite, the soft cap negative, the window not
// positive, dropout not in [0, 1), or a length not from 0 to S.
//
// Vaswani et al.: Attention Is All You Need, 2017.
Variable attention(const Variable& q, const Variable& k, const Variable& v,
                   const AttentionOptions& options = {});

}  // namespace catena::functions
