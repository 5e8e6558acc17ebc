#pragma once

#include <optional>
#include <string_view>

#include "catena/autograd/function_node.h"
#include "catena/functions/normalization/batch_normalization.h"
#include "catena/functions/normalization/channel_call.h"

// What batch normalization and renormalization share.
namespace catena::functions {

// Inputs: x, gamma and beta.
class BatchNormalization final : public FunctionNode {
 public:
  // With `moments` of the batch where they are known already.
  BatchNormalization(const AxisSet& axis, double eps,
                     const BatchNormalizationOptions* update,
                     std::optional<ChannelMoments> moments = std::nullopt);

  std::string_view label() const override { return "batch_normalization"; }
  void check_type_forward(TypeCheck& in) const override;
  Arrays forward(const Arrays& in) override;
  Variables backward(const Indexes& wanted, const Variables& gy) override;

 private:
  Array normalize_by_cudnn(const Array& x, const Array& gamma,
                           const Array& beta);
  Variables recorded_gradients(const Variable& gy);

  AxisSet axis_;
  double eps_;
  // Where running statistics are, only while the call is on.
  const BatchNormalizationOptions* update_;
  std::optional<ChannelMoments> moments_;
  Axes axes_;
  ChannelLayout layout_;
  Array inv_std_;
};

// InvalidType unless parameters, inputs 1 and up of those named, are of the
// shape of x without `axis` and of one floating dtype.
void check_channel_types(TypeCheck& in, std::span<const std::string_view> names,
                         const AxisSet& axis, std::string_view label);

// Updates the running statistics, where there are any, with those of a batch
// that has `count` elements for each channel.
void update_running_statistics(const BatchNormalizationOptions& options,
                               const ChannelMoments& moments, int64_t count);

// ValueError unless the options fit gamma.
void check_batch_options(const BatchNormalizationOptions& options,
                         const Variable& gamma, std::string_view function);

}  // namespace catena::functions
