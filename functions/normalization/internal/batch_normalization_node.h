#pragma once

#include <optional>
#include <string_view>

#include "catena/array/axis.h"
#include "catena/autograd/function_node.h"
#include "catena/functions/kinds.h"
#include "catena/functions/normalization/internal/channel_call.h"

// Shared by batch normalization and renormalization.
namespace catena::functions {

template <class Options>
RunningStatistics running_statistics(const Options& options) {
  return {options.running_mean, options.running_var, options.decay};
}

// Inputs: x, gamma, beta and, if it is to be added, a residual.
class BatchNormalization final : public FunctionNode {
 public:
  // `moments` are the batch's, if already computed.
  BatchNormalization(const AxisSet& axis, double eps,
                     const RunningStatistics* update, bool relu = false,
                     std::optional<ChannelMoments> moments = std::nullopt);

  std::string_view label() const override { return "batch_normalization"; }
  FunctionDescription description() const override {
    return FunctionDescription::of<kinds::BatchNormalization>(
        {{"eps", eps_}, {"axis", axes_}, {"relu", relu_}});
  }
  bool repeats() const override { return false; }
  void check_type_forward(TypeCheck& in) const override;
  Arrays forward(const Arrays& in) override;
  Variables backward(const Indexes& wanted, const Variables& gy) override;

 private:
  // These also update the running statistics.
  ChannelNormalization normalization_of(const Array& x, const Array& gamma,
                                        const Array& beta) const;
  Array normalize_by_cudnn(const Array& x, const Array& gamma_parameter,
                           const Array& beta_parameter);
  Variables chosen(const Indexes& wanted, const ChannelGradients& from) const;
  Variables recorded_gradients(const Variable& gy_of_y);

  AxisSet axis_;
  double eps_;
  bool relu_;
  // Only valid during the call.
  const RunningStatistics* update_;
  std::optional<ChannelMoments> moments_;
  Axes axes_;
  ChannelLayout layout_;
  RoundedNumbers mean_;
  Array inv_std_;
};

// Inputs: x, gamma, beta, mean and var.
class FixedBatchNormalization final : public FunctionNode {
 public:
  FixedBatchNormalization(const AxisSet& axis, double eps)
      : axis_(axis), eps_(eps) {}

  std::string_view label() const override {
    return "fixed_batch_normalization";
  }
  FunctionDescription description() const override {
    return FunctionDescription::of<kinds::FixedBatchNormalization>(
        {{"eps", eps_}, {"axis", axes_}});
  }
  void check_type_forward(TypeCheck& in) const override;
  Arrays forward(const Arrays& in) override;
  Variables backward(const Indexes& wanted, const Variables& gys) override;

 private:
  Variables recorded_gradients(const Variable& grad);

  AxisSet axis_;
  double eps_;
  Axes axes_;
  ChannelLayout layout_;
  RoundedNumbers mean_;
  Array inv_std_;
};

// Throws InvalidType unless the parameters (inputs from 1 on) have x's shape
// without `axis` and the same floating dtype, and the residual (the last input,
// if there is one) is like x.
void check_channel_types(TypeCheck& in, std::span<const std::string_view> names,
                         const AxisSet& axis, std::string_view label,
                         bool has_residual = false);

// Throws ValueError when eps is negative.
void check_eps(double eps, std::string_view function);
// Throws ValueError when eps is negative or the running statistics do not match
// gamma.
void check_batch_options(double eps, const RunningStatistics& running,
                         const Variable& gamma, std::string_view function);

}  // namespace catena::functions
