#include "catena/links/attention/multi_head_attention.h"

#include <cmath>

#include "catena/array/core/error.h"
#include "catena/functions/array/reshape.h"
#include "catena/functions/array/split_axis.h"
#include "catena/functions/array/transpose.h"
#include "catena/functions/attention/attention.h"

namespace catena::links {
namespace {

// The options with their defaults.
MultiHeadAttentionOptions checked(int64_t units, int64_t heads,
                                  const MultiHeadAttentionOptions& options) {
  MultiHeadAttentionOptions result = options;
  const int64_t kv_heads = options.kv_heads.value_or(heads);
  constexpr int64_t kMaxHeads = int64_t{1} << 20;
  if (units < 1 || heads < 1 || heads > kMaxHeads || kv_heads < 1 ||
      heads % kv_heads != 0) {
    raise<ValueError>("MultiHeadAttention: expected positive sizes, at most ",
                      kMaxHeads, " heads, and kv_heads to divide heads, got ",
                      units, " units, ", heads, " heads and ", kv_heads,
                      " kv_heads");
  }
  if (!options.head_size && units % heads != 0) {
    raise<ValueError>(
        "MultiHeadAttention: expected heads to divide units, got ", heads,
        " and ", units);
  }
  const int64_t head_size = options.head_size.value_or(units / heads);
  if (head_size < 1) {
    raise<ValueError>("MultiHeadAttention: expected a positive head_size, got ",
                      head_size);
  }
  const double eps = options.query_key_eps.value_or(0);
  if (!(eps >= 0) || !std::isfinite(eps)) {
    raise<ValueError>(
        "MultiHeadAttention: expected a finite query_key_eps of at least 0, "
        "got ",
        eps);
  }
  result.kv_heads = kv_heads;
  result.head_size = head_size;
  return result;
}

int64_t checked_heads(int64_t units, int64_t heads,
                      const MultiHeadAttentionOptions& options) {
  const MultiHeadAttentionOptions all = checked(units, heads, options);
  return checked_size({heads, *all.head_size}, 1, "MultiHeadAttention");
}

// The units that queries, keys and values have together.
int64_t qkv_units(int64_t units, int64_t heads,
                  const MultiHeadAttentionOptions& options) {
  const MultiHeadAttentionOptions all = checked(units, heads, options);
  return checked_size({heads + 2 * *all.kv_heads, *all.head_size}, 1,
                      "MultiHeadAttention");
}

}  // namespace

MultiHeadAttention::MultiHeadAttention(int64_t units, int64_t heads,
                                       const MultiHeadAttentionOptions& options)
    : qkv(this, "qkv", units, qkv_units(units, heads, options),
          LinearOptions{.nobias = options.nobias,
                        .initialW = options.initialW,
                        .initial_bias = options.initial_bias}),
      out(this, "out", checked_heads(units, heads, options), units,
          LinearOptions{
              .nobias = options.out_nobias.value_or(options.nobias),
              .initialW = options.initial_outW.value_or(options.initialW),
              .initial_bias = options.initial_bias}),
      options_(checked(units, heads, options)),
      heads_(heads) {
  if (const auto& eps = options_.query_key_eps) {
    const RmsNormalizationOptions norm = {.eps = *eps};
    query_norm.emplace(this, "query_norm", *options_.head_size, norm);
    key_norm.emplace(this, "key_norm", *options_.head_size, norm);
  }
}

Variable MultiHeadAttention::forward(const Variable& x,
                                     const AttentionCallOptions& call) {
  const Variable all = (*qkv)(x, {.n_batch_axes = 2});
  const int64_t batch = all.shape()[0];
  const int64_t steps = all.shape()[1];
  const int64_t kv_heads = *options_.kv_heads;
  Variables parts = functions::split_axis(
      functions::reshape(
          all, {batch, steps, heads_ + 2 * kv_heads, *options_.head_size}),
      {heads_, heads_ + kv_heads}, {.axis = 2});
  if (query_norm) {
    parts[0] = (**query_norm)(parts[0], {.n_batch_axes = 3});
    parts[1] = (**key_norm)(parts[1], {.n_batch_axes = 3});
  }
  for (Variable& part : parts) part = functions::transpose(part, {0, 2, 1, 3});
  if (call.rotary.cos.defined()) {
    parts[0] = functions::rotary_embedding(parts[0], call.rotary);
    parts[1] = functions::rotary_embedding(parts[1], call.rotary);
  }
  if (call.cache != nullptr) {
    call.cache->append(parts[1].data(), parts[2].data());
    parts[1] = as_variable(call.cache->keys());
    parts[2] = as_variable(call.cache->values());
  }
  const Variable y = functions::attention(parts[0], parts[1], parts[2],
                                          {.scale = options_.scale,
                                           .causal = options_.causal,
                                           .window = options_.window,
                                           .mask = call.mask,
                                           .lengths = call.lengths,
                                           .soft_cap = options_.soft_cap,
                                           .dropout = options_.dropout});
  return (*out)(
      functions::reshape(functions::transpose(y, {0, 2, 1, 3}),
                         {batch, steps, heads_ * *options_.head_size}),
      {.n_batch_axes = 2});
}

}  // namespace catena::links
