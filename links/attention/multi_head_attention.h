#pragma once

#include <cstdint>
#include <optional>

#include "catena/functions/attention/key_value_cache.h"
#include "catena/functions/attention/rotary_embedding.h"
#include "catena/links/call_link.h"
#include "catena/links/chain.h"
#include "catena/links/connection/linear.h"
#include "catena/links/initializers/initializers.h"
#include "catena/links/normalization/rms_normalization.h"

namespace catena::links {

struct MultiHeadAttentionOptions {
  NamedFieldsOnly keywords = {};
  // Heads of keys and values, each shared by as many heads of queries; by
  // default as many as there are of these.
  std::optional<int64_t> kv_heads = std::nullopt;
  // A head's units; by default the heads share all units.
  std::optional<int64_t> head_size = std::nullopt;
  bool nobias = false;
  // Whether the layer behind the heads has no bias; by default as nobias.
  std::optional<bool> out_nobias = std::nullopt;
  // With a number, which is its eps, each head's query and key go through an
  // RMS normalization.
  std::optional<double> query_key_eps = std::nullopt;
  // As in functions/attention/attention.h; dropout is that of weights.
  bool causal = false;
  std::optional<int64_t> window = std::nullopt;
  std::optional<double> scale = std::nullopt;
  double soft_cap = 0;
  double dropout = 0;
  Initializer initialW = initializers::LeCunNormal();
  Initializer initial_bias = initializers::Constant(0);
  // The weight of the layer behind the heads; by default initialW.
  std::optional<Initializer> initial_outW = std::nullopt;
};

// What differs from call to call; see functions/attention/attention.h.
struct AttentionCallOptions {
  NamedFieldsOnly keywords = {};
  Array mask = {};     // broadcasts to (B, heads, T, T)
  Array lengths = {};  // (B,)
  // If defined, they turn queries and keys (functions/attention/
  // rotary_embedding.h): those of the positions of x.
  functions::RotaryTables rotary = {};
  // Keys and values of earlier calls, to which those of x are added and which x
  // sees, too. No gradient flows into them.
  functions::KeyValueCache* cache = nullptr;
};

// Self-attention of several heads: queries, keys and values are made by one
// layer, and the heads' results go through another.
//
// Vaswani et al.: Attention Is All You Need, 2017.
class MultiHeadAttention : public Chain<MultiHeadAttention> {
 public:
  using Options = MultiHeadAttentionOptions;

  // Throws ValueError unless sizes are positive, kv_heads divides heads, where
  // there is no head_size, heads divides units, and query_key_eps is finite and
  // not negative.
  MultiHeadAttention(int64_t units, int64_t heads,
                     const MultiHeadAttentionOptions& options = {});

  // x and y are (B, T, units). Throws InvalidType when shapes do not match, and
  // as KeyValueCache::append() does.
  Variable forward(const Variable& x, const AttentionCallOptions& call = {});
  Variable operator()(const Variable& x,
                      const AttentionCallOptions& call = {}) {
    return call_link(*this, x, call);
  }

  // (heads + 2 kv_heads) head_size units: queries, keys and values of all
  // heads.
  Child<Linear> qkv;
  // Shared by the heads; absent without query_key_eps.
  std::optional<Child<RmsNormalization>> query_norm;
  std::optional<Child<RmsNormalization>> key_norm;
  Child<Linear> out;

 private:
  MultiHeadAttentionOptions options_;
  int64_t heads_;
};

}  // namespace catena::links
