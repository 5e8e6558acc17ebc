#include "catena/links/connection/linear.h"

#include <algorithm>
#include <cmath>

#include "catena/array/core/error.h"
#include "catena/array/linalg/matmul.h"
#include "catena/functions/connection/linear.h"
#include "catena/functions/math/operators.h"
#include "catena/functions/noise/dropout.h"
#include "catena/links/sample_size.h"

namespace catena::links {
namespace {

constexpr const char* kA = "lora_A";
constexpr const char* kB = "lora_B";

std::optional<Shape> weight_shape(std::optional<int64_t> in_size,
                                  int64_t out_size) {
  if (out_size <= 0 || in_size.value_or(1) <= 0) {
    raise<ValueError>("Linear: expected positive sizes, got in_size ",
                      in_size ? str(*in_size) : "none", " and out_size ",
                      out_size);
  }
  if (!in_size) return std::nullopt;
  return Shape{out_size, *in_size};
}

}  // namespace

Linear::Linear(int64_t out_size, const LinearOptions& options)
    : Linear(std::nullopt, out_size, options) {}

Linear::Linear(std::optional<int64_t> in_size, int64_t out_size,
               const LinearOptions& options)
    : W(this, "W", options.initialW, weight_shape(in_size, out_size)),
      b(options.nobias
            ? Param()
            : Param(this, "b", options.initial_bias, Shape{out_size})),
      out_size_(out_size) {}

Variable Linear::forward(const Variable& x,
                         const functions::LinearOptions& options) {
  if (!W.is_initialized()) {
    // linear() refuses what is clamped here.
    const int64_t first =
        std::clamp<int64_t>(options.n_batch_axes, 0, x.ndim());
    W.initialize({out_size_, sample_size(x, first)});
  }
  const Variable y = functions::linear(x, W, b, options);
  if (!low_rank_ || low_rank_->is_merged) return y;
  const double scale = low_rank_->alpha / static_cast<double>(low_rank_->rank);
  const Variable seen =
      low_rank_->dropout > 0
          ? functions::dropout(x, {.ratio = low_rank_->dropout})
          : x;
  const Variable inner = functions::linear(seen, param(kA), {}, options);
  return y + functions::linear(inner * scale, param(kB), {}, options);
}

void Linear::add_low_rank(int64_t rank, const LowRankOptions& options) {
  if (rank < 1 || !std::isfinite(options.alpha) ||
      !(options.dropout >= 0 && options.dropout < 1)) {
    raise<ValueError>(
        "Linear::add_low_rank: expected a positive rank, a finite alpha and "
        "dropout in [0, 1), got ",
        rank, ", ", options.alpha, " and ", options.dropout);
  }
  if (!W.is_initialized()) {
    raise<ValueError>(
        "Linear::add_low_rank: expected a layer whose W is initialized; call "
        "it once before, or state in_size");
  }
  if (low_rank_) {
    raise<ValueError>(
        "Linear::add_low_rank: expected a layer without such an update, got "
        "one with rank ",
        low_rank_->rank);
  }
  const Dtype dtype = W.dtype();
  checked_size({rank, std::max(out_size_, W.shape()[1])}, item_size(dtype),
               "Linear::add_low_rank");
  add_param(kA, Initializer(options.initialA, dtype),
            Shape{rank, W.shape()[1]});
  try {
    add_param(kB, Initializer(initializers::Constant(0), dtype),
              Shape{out_size_, rank});
  } catch (...) {
    remove_value(kA);
    throw;
  }
  low_rank_ = {rank, options.alpha, options.dropout};
}

void Linear::check_low_rank(std::string_view operation) const {
  if (low_rank_) return;
  raise<ValueError>("Linear::", operation,
                    ": expected a layer with an update of low rank, which "
                    "add_low_rank() gives it");
}

void Linear::remove_low_rank() {
  check_low_rank("remove_low_rank");
  remove_value(kA);
  remove_value(kB);
  low_rank_.reset();
}

void Linear::freeze_low_rank(bool frozen) {
  check_low_rank("freeze_low_rank");
  for (const char* const name : {kA, kB}) {
    if (frozen) {
      param(name).freeze();
    } else {
      param(name).unfreeze();
    }
  }
}

void Linear::add_to_W(double sign) {
  const double scale = low_rank_->alpha / static_cast<double>(low_rank_->rank);
  array::gemm(param(kB).data(), param(kA).data(), W.data(),
              {.alpha = sign * scale, .beta = 1});
  W.bump_version();
  low_rank_->is_merged = sign > 0;
}

void Linear::merge_low_rank() {
  check_low_rank("merge_low_rank");
  if (!low_rank_->is_merged) add_to_W(1);
}

void Linear::unmerge_low_rank() {
  check_low_rank("unmerge_low_rank");
  if (low_rank_->is_merged) add_to_W(-1);
}

void Linear::serialize(const Serializer& serializer) {
  if (is_low_rank_merged()) {
    raise<ValueError>(
        "Linear: expected an update of low rank that is not merged in a layer "
        "that is saved or loaded; unmerge or remove it before");
  }
  Link::serialize(serializer);
}

void Linear::serialize_low_rank(const Serializer& serializer) {
  check_low_rank("serialize_low_rank");
  if (is_low_rank_merged() && !serializer.is_writer()) {
    raise<ValueError>(
        "Linear::serialize_low_rank: expected an update that is not merged in "
        "a layer that loads another; unmerge it before");
  }
  for (const char* const name : {kA, kB}) {
    const Param& parameter = param(name);
    Array data = parameter.data();
    serializer(name, data);
    if (!serializer.is_writer()) {
      serializer.on_commit(
          [parameter = Parameter(parameter)] { parameter.bump_version(); });
    }
  }
  constexpr std::string_view kAlpha = "lora_alpha";
  if (serializer.is_writer()) return serializer(kAlpha, low_rank_->alpha);
  if (const auto alpha = serializer.number<double>(kAlpha)) {
    if (!std::isfinite(*alpha)) {
      serializer.fail(kAlpha, "a finite number", str(*alpha));
    }
    serializer.on_commit([this, alpha] { low_rank_->alpha = *alpha; });
  }
}

}  // namespace catena::links
