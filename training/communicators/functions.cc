#include "catena/training/communicators/functions.h"

#include <string_view>
#include <utility>

#include "catena/array/axis.h"
#include "catena/array/concatenate.h"
#include "catena/array/creation.h"
#include "catena/array/index.h"
#include "catena/array/ufunc/ufunc.h"
#include "catena/autograd/config.h"
#include "catena/autograd/function_description.h"
#include "catena/autograd/function_node.h"
#include "catena/functions/activation/relu.h"
#include "catena/functions/array/cast.h"
#include "catena/functions/array/reshape.h"
#include "catena/functions/axes.h"
#include "catena/functions/math/operators.h"
#include "catena/functions/math/sqrt.h"
#include "catena/functions/math/square.h"
#include "catena/functions/math/sum.h"
#include "catena/functions/normalization/internal/batch_normalization_node.h"
#include "catena/functions/normalization/internal/centered.h"
#include "catena/functions/normalization/internal/channel_call.h"

namespace catena::training::communicators {
namespace {

using functions::ChannelLayout;
using functions::ChannelMoments;
using functions::ChannelSums;

class Allreduce final : public FunctionNode {
 public:
  explicit Allreduce(Communicator& communicator)
      : communicator_(communicator) {}

  std::string_view label() const override { return "allreduce"; }
  FunctionDescription description() const override {
    return FunctionDescription::of<Allreduce>({});
  }
  void check_type_forward(TypeCheck& in) const override {
    in.set_names(kNames);
    in.expect_floating(in[0]);
  }
  Arrays forward(const Arrays& in) override {
    return {communicator_.allreduce(in[0])};
  }
  Variables backward(const Indexes& /*wanted*/, const Variables& gy) override {
    return {allreduce(gy[0], communicator_)};
  }

 private:
  static constexpr std::string_view kNames[] = {"x"};
  Communicator& communicator_;
};

// Inputs: x, gamma and beta.
class BatchNormalizationOverRanks final : public FunctionNode {
 public:
  BatchNormalizationOverRanks(
      Communicator& communicator,
      const functions::BatchNormalizationOptions& options,
      const functions::RunningStatistics& running)
      : communicator_(communicator),
        axis_(options.axis),
        eps_(options.eps),
        update_(&running) {}

  std::string_view label() const override {
    return "multi_node_batch_normalization";
  }
  FunctionDescription description() const override {
    return FunctionDescription::of<BatchNormalizationOverRanks>(
        {{"eps", eps_}, {"axis", axes_}});
  }
  bool repeats() const override { return false; }  // updates the statistics

  void check_type_forward(TypeCheck& in) const override {
    functions::check_channel_types(in, kNames, axis_, label());
  }

  Arrays forward(const Arrays& in) override {
    retain_inputs({0, 1});
    axes_ = functions::channel_axes(axis_, in[0].ndim(), label());
    layout_ = ChannelLayout(in[0], axes_);
    const Array x = layout_.pack(in[0]);
    const ChannelMoments moments = moments_of_all(x);
    functions::update_running_statistics(*update_, moments,
                                         static_cast<int64_t>(count_));
    update_ = nullptr;  // valid only during the call
    const functions::ChannelNormalization to =
        functions::normalization_by(moments, in[1], in[2], eps_);
    mean_ = to.mean;
    inv_std_ = to.inv_std;
    const Array y = functions::channel_affine(x,
                                              {.x_factor = to.x_factor,
                                               .center = {to.mean.rounded},
                                               .offset = to.offset},
                                              layout_);
    return {layout_.unpack(y)};
  }

  Variables backward(const Indexes& wanted, const Variables& gys) override {
    if (config().enable_backprop) return recorded_gradients(gys[0]);
    const Array x = layout_.pack(retained_input_array(0));
    const Array gy = layout_.pack(gys[0].data());
    const ChannelSums sums = functions::channel_sums(gy, x, mean_, layout_);
    Variables gradients;
    for (const int i : wanted) {
      if (i == 0) {
        gradients.push_back(as_variable(gradient_of_x(x, gy, sums)));
      } else {
        const Array gradient = i == 1 ? sums.product * inv_std_ : sums.gy;
        gradients.push_back(as_variable(
            gradient.reshape(inputs()[i]->shape())
                .astype(inputs()[i]->dtype(), Array::CopyPolicy::kIfNeeded)));
      }
    }
    return gradients;
  }

 private:
  // Combines the moments of all ranks: first the mean, then the variance around
  // it, which is accurate even if the mean is large. In double, so that sums
  // over ranks are not rounded: numbers per channel are few.
  ChannelMoments moments_of_all(const Array& x) {
    const ChannelMoments own = functions::channel_moments(x, layout_);
    const Dtype dtype = own.var.dtype();
    const auto wide = [](const Array& a) { return a.astype(Dtype::kFloat64); };
    const Array own_mean = wide(own.mean.rounded) + wide(own.mean.rest);
    const auto own_count = static_cast<double>(layout_.count());
    const int64_t channels = own_mean.size();
    const Array sums = array::concatenate(
        {own_mean * own_count,
         array::full({1}, own_count, Dtype::kFloat64, x.device())});
    const Array all = communicator_.allreduce(sums);
    count_ = all[channels].item<double>();
    const Array mean = all[{Slice(0, channels)}] / count_;
    const Array deviation = own_mean - mean;
    const Array var = communicator_.allreduce(
        (wide(own.var) + deviation * deviation) * own_count);
    return {functions::round_coefficients(mean, dtype),
            (var / count_).astype(dtype)};
  }

  Array gradient_of_x(const Array& x, const Array& gy, const ChannelSums& own) {
    const int64_t channels = inv_std_.size();
    const Array all =
        communicator_.allreduce(array::concatenate({own.gy, own.product}));
    const Array a =
        functions::as_coefficients(retained_input_array(1), inv_std_.dtype()) *
        inv_std_;
    const Array per_element = a * (-1.0 / count_);
    const Array sum_product = all[{Slice(channels, 2 * channels)}];
    return layout_.unpack(functions::channel_affine(
        x,
        {.x_factor = per_element * inv_std_ * inv_std_ * sum_product,
         .center = mean_,
         .offset = per_element * all[{Slice(0, channels)}],
         .other_factor = a,
         .other = gy},
        layout_));
  }

  Variables recorded_gradients(const Variable& grad) {
    // In the parameters' dtype, which may be wider.
    const Dtype dtype = inputs()[1]->dtype();
    const Shape& shape = inputs()[1]->shape();
    const Variable x = functions::cast(retained_input(0), dtype);
    const Variable gy = functions::cast(grad, dtype);
    const Variable gamma = functions::reshape(
        retained_input(1), functions::shape_with_kept_axes(x.shape(), axes_));
    const functions::SumOptions over{.axis = axes_, .keepdims = true};
    const auto sum_of_all = [&](const Variable& own) {
      return allreduce(own, communicator_);
    };
    const Variable d = functions::from_near(x, mean_.rounded, axes_);
    const Variable deviation = d - sum_of_all(functions::sum(d, over)) / count_;
    const Variable var =
        sum_of_all(functions::sum(functions::square(deviation), over)) / count_;
    const Variable inv_std = 1.0 / functions::sqrt(var + eps_);
    const Variable x_hat = deviation * inv_std;
    const Variable gbeta = functions::sum(gy, over);
    const Variable ggamma = functions::sum(gy * x_hat, over);
    const Variable gx =
        gamma * inv_std *
        (gy - (x_hat * sum_of_all(ggamma) + sum_of_all(gbeta)) / count_);
    return {functions::cast(gx, grad.dtype()),
            functions::reshape(ggamma, shape),
            functions::reshape(gbeta, shape)};
  }

  static constexpr std::string_view kNames[] = {"x", "gamma", "beta"};

  Communicator& communicator_;
  AxisSet axis_;
  double eps_;
  const functions::RunningStatistics* update_;
  Axes axes_;
  ChannelLayout layout_;
  double count_ = 0;  // elements per channel, over all ranks
  functions::RoundedNumbers mean_;
  Array inv_std_;
};

}  // namespace

Variable allreduce(const Variable& x, Communicator& communicator) {
  return apply<Allreduce>({x}, communicator);
}

Variable multi_node_batch_normalization(
    const Variable& x, const Variable& gamma, const Variable& beta,
    Communicator& communicator,
    const functions::BatchNormalizationOptions& options) {
  const functions::RunningStatistics running =
      functions::running_statistics(options);
  functions::check_batch_options(options.eps, running, gamma,
                                 "multi_node_batch_normalization");
  Variable y = apply<BatchNormalizationOverRanks>(
      {x, gamma, beta}, communicator, options, running);
  if (options.residual.defined()) y = y + options.residual;
  return options.relu ? functions::relu(y) : y;
}

}  // namespace catena::training::communicators
