#include "catena/optimizers/optimizer.h"

#include <algorithm>
#include <cmath>

#include "catena/array/error.h"
#include "catena/array/reduce.h"
#include "catena/array/ufunc.h"
#include "catena/autograd/config.h"

namespace catena {

namespace internal {

void throw_argument_count(size_t count) {
  raise<ValueError>("Optimizer: the target cannot be called with ", count,
                    " variables; pass a loss function of your own");
}

}  // namespace internal

namespace {

UpdateRule* rule_of(const Parameter& param) {
  return dynamic_cast<UpdateRule*>(param.update_rule().get());
}

}  // namespace

Optimizer& Optimizer::setup_target(Link& link) {
  target_ = &link;
  t_ = 0;
  epoch_ = 0;
  params_ = link.namedparams();
  for (const auto& [path, param] : params_) {
    param.set_update_rule(create_update_rule());
  }
  use_fp32_update(use_fp32_update_ || config().dtype.is_mixed16());
  return *this;
}

void Optimizer::use_fp32_update(bool flag) {
  use_fp32_update_ = flag;
  for (const auto& [path, param] : params_) {
    if (UpdateRule* rule = rule_of(param)) rule->use_fp32_update(flag);
  }
}

void Optimizer::loss_scaling(const LossScalingOptions& options) {
  scaler_.emplace(options);
}

std::vector<Parameter> Optimizer::updated_params() const {
  std::vector<Parameter> params;
  for (const Parameter& param : target().params(/*include_uninit=*/false)) {
    const auto& rule = param.update_rule();
    if (!rule || !rule->enabled()) continue;
    const UpdateRule* own = rule_of(param);
    const Parameter& updated = own != nullptr ? own->updated(param) : param;
    if (updated.grad().defined()) params.push_back(updated);
  }
  return params;
}

bool Optimizer::are_gradients_finite() const {
  // Added up on each device, so that only one number has to be waited for; NaN
  // and infinity stay in a sum.
  std::vector<Array> sums;
  for (const auto& [path, param] : params_) {
    if (!param.is_initialized() || !param.grad().defined()) continue;
    const Dtype dtype =
        item_size(param.dtype()) < 4 ? Dtype::kFloat32 : param.dtype();
    const Array sum =
        array::sum(param.grad(), {.dtype = dtype}).astype(Dtype::kFloat64);
    const auto same = std::ranges::find(sums, sum.device(), &Array::device);
    if (same == sums.end()) {
      sums.push_back(sum);
    } else {
      *same += sum;
    }
  }
  return std::ranges::all_of(
      sums, [](const Array& sum) { return std::isfinite(sum.item<double>()); });
}

Link& Optimizer::target() const {
  if (target_ == nullptr) {
    raise<ValueError>("Optimizer: expected setup(link) before the first use");
  }
  return *target_;
}

const LossFunction& Optimizer::loss_function() const {
  target();
  return loss_function_;
}

void Optimizer::update() {
  target();
  for (const auto& [path, param] : params_) {
    if (param.is_initialized() && !param.grad().defined()) param.zerograd();
  }
  const double scale = loss_scale();
  if (scaler_) {
    was_skipped_ = !are_gradients_finite();
    scaler_->after_step(!was_skipped_);
    if (was_skipped_) return;
  }
  for (const auto& [path, param] : params_) {
    if (UpdateRule* rule = rule_of(param)) rule->take_gradient(param, scale);
  }
  call_hooks();
  ++t_;
  for (const auto& [path, param] : params_) param.update();
}

Variable Optimizer::step(const Variable& loss) {
  // The graph is released only after the step, when the buffers of gradients
  // are in use no more.
  target().cleargrads();
  loss.backward({.loss_scale = loss_scale()});
  update();
  return loss;
}

void Optimizer::add_hook(std::string name, Hook hook) {
  for (const auto& [other, unused] : hooks_) {
    if (other == name) {
      raise<ValueError>("Optimizer: there is a hook named '", name,
                        "' already");
    }
  }
  hooks_.emplace_back(std::move(name), std::move(hook));
}

void Optimizer::remove_hook(std::string_view name) {
  const auto it =
      std::ranges::find(hooks_, name, &std::pair<std::string, Hook>::first);
  if (it == hooks_.end()) {
    raise<ValueError>("Optimizer: there is no hook named '", name, "'");
  }
  hooks_.erase(it);
}

void Optimizer::call_hooks() {
  for (const auto& [name, hook] : hooks_) hook(*this);
}

double Optimizer::hyperparameter(std::string_view name) const {
  const double* value = const_cast<Optimizer*>(this)->find_hyperparameter(name);
  if (value == nullptr) {
    std::string names;
    for (const std::string_view other : hyperparameter_names()) {
      names += (names.empty() ? "" : ", ") + std::string(other);
    }
    raise<ValueError>("Optimizer: there is no hyperparameter '", name,
                      "'; there are ", names);
  }
  return *value;
}

void Optimizer::set_hyperparameter(std::string_view name, double value) {
  const double previous = hyperparameter(name);
  *find_hyperparameter(name) = value;
  try {
    check_hyperparameters();
  } catch (...) {
    *find_hyperparameter(name) = previous;
    throw;
  }
}

void Optimizer::serialize_loss_scale(const Serializer& serializer) {
  // The original's snapshots lack it.
  if (!serializer.is_writer() && !serializer.contains("loss_scale")) return;
  auto state = std::make_shared<std::pair<double, bool>>(
      scaler_->scale(), scaler_->has_overflowed());
  serializer("loss_scale", state->first);
  serializer("loss_has_overflowed", state->second);
  if (serializer.is_writer()) return;
  serializer.on_commit(
      [this, state] { scaler_->restore(state->first, state->second); });
}

void Optimizer::serialize(const Serializer& serializer) {
  target();
  serializer("t", t_);
  serializer("epoch", epoch_);
  if (scaler_ && scaler_->is_dynamic()) serialize_loss_scale(serializer);
  for (const auto& [path, param] : params_) {
    if (UpdateRule* rule = rule_of(param)) {
      rule->serialize(serializer[path], param);
    }
  }
}

}  // namespace catena
