#include "catena/functions/normalization/group_normalization.h"

#include <algorithm>

#include "catena/array/core/error.h"
#include "catena/array/reduction/reduce.h"
#include "catena/array/ufunc/ufunc.h"
#include "catena/autograd/config.h"
#include "catena/autograd/function_node.h"
#include "catena/functions/array/reshape.h"
#include "catena/functions/kinds.h"
#include "catena/functions/math/average.h"
#include "catena/functions/math/operators.h"
#include "catena/functions/math/sqrt.h"
#include "catena/functions/math/square.h"
#include "catena/functions/math/sum.h"
#include "catena/functions/normalization/internal/centered.h"
#include "catena/functions/normalization/internal/channel_call.h"

namespace catena::functions {
namespace {

// Per-group and per-channel values have the shape (N, groups, channels per
// group) here, with extent 1 where shared.
class GroupNormalization final : public FunctionNode {
 public:
  GroupNormalization(int64_t groups, double eps) : groups_(groups), eps_(eps) {}

  std::string_view label() const override { return "group_normalization"; }
  FunctionDescription description() const override {
    return FunctionDescription::of<kinds::GroupNormalization>(
        {{"groups", groups_}, {"eps", eps_}});
  }

  void check_type_forward(TypeCheck& in) const override {
    const auto [x, gamma, beta] = in.names<3>({"x", "gamma", "beta"});
    in.expect_floating(x);
    in.expect(x.ndim() >= type_check::Term(2));
    for (const auto parameter : {gamma, beta}) {
      in.expect(parameter.dtype() == x.dtype(),
                parameter.ndim() == type_check::Term(1));
      in.expect(parameter.shape(0) == x.shape(1));
    }
  }

  Arrays forward(const Arrays& in) override {
    const Array x = in[0].contiguous();
    const int64_t channels = x.shape()[1];
    if (groups_ < 1 || channels % groups_ != 0) {
      raise<ValueError>(label(), ": expected groups that divide the channels ",
                        "of x ", x.shape(), ", got ", groups_);
    }
    retain_inputs({0, 1});
    const int64_t samples = x.shape()[0];
    const int64_t neighbours =
        x.size() / std::max<int64_t>(samples * channels, 1);
    by_channel_ = ChannelLayout(1, samples * channels, neighbours);
    split_ = {samples, groups_, channels / groups_};
    const ChannelMoments moments = channel_moments(
        x, ChannelLayout(1, samples * groups_, split_[2] * neighbours));
    mean_ = moments.mean;
    inv_std_ = 1.0 / array::sqrt(of_groups(moments.var) + eps_);
    return {channel_affine(x,
                           {.x_factor = each(factors(in[1]) * inv_std_),
                            .center = centers(),
                            .offset = each(factors(in[2]))},
                           by_channel_)};
  }

  Variables backward(const Indexes& wanted, const Variables& gys) override {
    if (config().enable_backprop) return recorded_gradients(gys[0]);
    const Array x = retained_input_array(0).contiguous();
    const Array gy = gys[0].data().contiguous();
    const RoundedNumbers center = centers();
    const ChannelSums sums = channel_sums(gy, x, center, by_channel_);
    const Array sum_gy = sums.gy.reshape(split_);
    const Array product = sums.product.reshape(split_) * inv_std_;
    const auto over_samples = [&](const Array& numbers) {
      return as_variable(array::sum(numbers, {.axis = 0})
                             .reshape({-1})
                             .astype(x.dtype(), Array::CopyPolicy::kIfNeeded));
    };
    Variables gradients;
    for (const int i : wanted) {
      if (i == 1) gradients.push_back(over_samples(product));
      if (i == 2) gradients.push_back(over_samples(sum_gy));
      if (i != 0) continue;
      const Array gamma = factors(retained_input_array(1));
      const auto group_mean = [&](const Array& numbers) {
        return array::sum(numbers * gamma, {.axis = 2, .keepdims = true}) *
               (1.0 / static_cast<double>(split_[2] * by_channel_.inner()));
      };
      gradients.push_back(as_variable(channel_affine(
          x,
          {.x_factor = each(-(inv_std_ * inv_std_ * group_mean(product))),
           .center = center,
           .offset = each(-(inv_std_ * group_mean(sum_gy))),
           .other_factor = each(inv_std_ * gamma),
           .other = gy},
          by_channel_)));
    }
    return gradients;
  }

 private:
  // A parameter in the shape of per-channel values.
  Array factors(const Array& parameter) const {
    return as_coefficients(parameter, inv_std_.dtype())
        .reshape({1, split_[1], split_[2]});
  }
  // One value per group of each sample.
  Array of_groups(const Array& numbers) const {
    return numbers.reshape({split_[0], split_[1], 1});
  }
  // One value per channel of each sample.
  Array each(const Array& numbers) const {
    return numbers.broadcast_to(split_).contiguous().reshape({-1});
  }

  RoundedNumbers centers() const {
    return {each(of_groups(mean_.rounded)), each(of_groups(mean_.rest))};
  }

  Variables recorded_gradients(const Variable& gy) {
    const Variable x = retained_input(0);
    const Shape shape{split_[0], split_[1], split_[2], by_channel_.inner()};
    const AverageOptions over{.axis = {2, 3}, .keepdims = true};
    const Variable d = centered(reshape(x, shape), mean_.rounded, {2, 3});
    const Variable inv_std = 1.0 / sqrt(average(square(d), over) + eps_);
    const Variable x_hat = d * inv_std;
    const Variable g_y = reshape(gy, shape);
    const Variable gamma =
        reshape(retained_input(1), {1, split_[1], split_[2], 1});
    const Variable g = g_y * gamma;
    const Variable gx =
        (g - average(g, over) - x_hat * average(g * x_hat, over)) * inv_std;
    const auto parameter = [&](const Variable& terms) {
      return reshape(sum(terms, {.axis = {0, 3}}), inputs()[1]->shape());
    };
    return {reshape(gx, x.shape()), parameter(g_y * x_hat), parameter(g_y)};
  }

  int64_t groups_;
  double eps_;
  ChannelLayout by_channel_;
  Shape split_;
  RoundedNumbers mean_;
  Array inv_std_;
};

}  // namespace

Variable group_normalization(const Variable& x, int64_t groups,
                             const Variable& gamma, const Variable& beta,
                             const GroupNormalizationOptions& options) {
  if (!(options.eps >= 0)) {
    raise<ValueError>("group_normalization: expected eps of at least 0, got ",
                      options.eps);
  }
  return apply<GroupNormalization>({x, gamma, beta}, groups, options.eps);
}

}  // namespace catena::functions
