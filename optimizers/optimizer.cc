#include "catena/optimizers/optimizer.h"

#include <algorithm>
#include <cmath>
#include <new>
#include <typeinfo>
#include <utility>

#include "catena/array/core/capture.h"
#include "catena/array/core/error.h"
#include "catena/array/core/memory_errors.h"
#include "catena/array/core/trace.h"
#include "catena/array/core/work_record.h"
#include "catena/array/kernels/reduction_ops.h"
#include "catena/array/reduction/reduce.h"
#include "catena/array/ufunc/ufunc.h"
#include "catena/autograd/config.h"
#include "catena/optimizers/check_hyperparameter.h"
#include "catena/optimizers/device_loss_scaler.h"
#include "catena/optimizers/hook_ops.h"
#include "catena/optimizers/sum_many.h"
#include "catena/optimizers/update_batch.h"

namespace catena {

namespace {

UpdateRule* rule_of(const Parameter& param) {
  return dynamic_cast<UpdateRule*>(param.update_rule().get());
}

// The sum over all gradients; `sum` returns that of one, on the CPU. Waits for
// each device once.
template <class Op>
double sum_gradients(const std::vector<Parameter>& params,
                     double (*sum)(const Array&)) {
  double total = 0;
  std::vector<Array> on_devices;
  for (const Parameter& param : params) {
    if (param.grad().device().shares_host_memory()) {
      total += sum(param.grad());
    } else {
      on_devices.push_back(param.grad());
    }
  }
  for (const Array& part : optimizers::sum_many<Op>(on_devices)) {
    total += part.item<double>();
  }
  return total;
}

double norm_of_gradients(const std::vector<Parameter>& params) {
  return std::sqrt(
      sum_gradients<array::SumOfSquaresOp>(params, [](const Array& grad) {
        return array::sum_of_squares(grad).item<double>();
      }));
}

bool is_on_host(const Parameter& param) {
  return param.device().shares_host_memory();
}

// Scales gradients on GPUs, without waiting for them.
void clip_on_devices(const std::vector<Parameter>& params, double max_norm) {
  std::vector<Array> grads;
  for (const Parameter& param : params) grads.push_back(param.grad());
  std::vector<Array> sums = optimizers::sum_many<array::SumOfSquaresOp>(grads);
  const Array square = sums[0];
  for (size_t i = 1; i < sums.size(); ++i) {
    square += sums[i].to_device(square.device());
  }
  const Array rate = max_norm / array::sqrt(square);
  // NaN, too, changes nothing.
  const Array below_1 = array::where(array::less(rate, 1), rate, 1.0);
  optimizers::UpdateBatch batch;
  for (Array& sum : sums) sum = below_1.to_device(sum.device());
  for (const Parameter& param : params) {
    const Array& of_device =
        *std::ranges::find(sums, param.device(), &Array::device);
    batch.add(optimizers::ScaleGradientByOp{of_device.data<double>()}, {},
              {param.mutable_grad()});
  }
  batch.run();
}

}  // namespace

// What hooks join while it lives; null: nothing.
class Optimizer::JoiningScope {
 public:
  JoiningScope(Optimizer& optimizer, optimizers::UpdateBatch* batch)
      : optimizer_(optimizer),
        previous_(std::exchange(optimizer.joined_, batch)) {}
  ~JoiningScope() {
    optimizer_.joined_ = previous_;
    optimizer_.joined_grads_.clear();
  }
  JoiningScope(const JoiningScope&) = delete;
  JoiningScope& operator=(const JoiningScope&) = delete;

 private:
  Optimizer& optimizer_;
  optimizers::UpdateBatch* previous_;
};

Optimizer::Optimizer() = default;
Optimizer::Optimizer(Optimizer&&) noexcept = default;
Optimizer& Optimizer::operator=(Optimizer&&) noexcept = default;
Optimizer::~Optimizer() = default;

Optimizer& Optimizer::setup_target(Link& link) {
  link.check_members();
  auto params = link.namedparams();
  if (params.empty()) {
    raise<ValueError>(
        "setup: expected a link with parameters, got one without");
  }
  target_ = link.place();
  t_ = 0;
  epoch_ = 0;
  params_ = std::move(params);
  for (const auto& [path, param] : params_) {
    param.set_update_rule(create_update_rule());
  }
  use_fp32_update(use_fp32_update_ || config().dtype.is_mixed16());
  return *this;
}

void Optimizer::prepare() {
  params_ = target().namedparams();
  for (const auto& [path, param] : params_) {
    if (param.update_rule() == nullptr) {
      param.set_update_rule(create_update_rule());
      if (UpdateRule* rule = rule_of(param)) {
        rule->use_fp32_update(use_fp32_update_);
      }
    }
    if (UpdateRule* rule = rule_of(param)) rule->prepare(param);
  }
}

void Optimizer::use_fp32_update(bool flag) {
  use_fp32_update_ = flag;
  for (const auto& [path, param] : params_) {
    if (UpdateRule* rule = rule_of(param)) rule->use_fp32_update(flag);
  }
}

void Optimizer::loss_scaling(const LossScalingOptions& options) {
  const LossScaler scaler(options);
  decide_on_host();
  scaler_ = scaler;
}

double Optimizer::loss_scale() const {
  if (decider_ != nullptr) return decider_->scale_value();
  return scaler_ ? scaler_->scale() : 1.0;
}

bool Optimizer::was_skipped() const {
  return decider_ != nullptr ? decider_->was_skipped() : was_skipped_;
}

int64_t Optimizer::skipped() const {
  return decider_ != nullptr ? decider_->skipped() : 0;
}

std::optional<Device> Optimizer::deciding_device() const {
  if (!scaler_ || exchange_ || !host_hooks_.empty()) return std::nullopt;
  std::optional<Device> device;
  for (const auto& [path, param] : params_) {
    const UpdateRule* rule = rule_of(param);
    if (rule == nullptr || !rule->is_fused() || rule->has_hooks()) {
      return std::nullopt;
    }
    if (!param.is_initialized() || param.is_frozen()) continue;
    if (!device) device = param.device();
    if (*device != param.device()) return std::nullopt;
  }
  if (device && device->is_native()) device.reset();
  return device;
}

std::shared_ptr<DeviceLossScaler> Optimizer::decider() {
  const std::optional<Device> device = deciding_device();
  if (decider_ != nullptr && (!device || decider_->device() != *device)) {
    decide_on_host();
  }
  if (device && decider_ == nullptr) {
    decider_ = std::make_shared<DeviceLossScaler>(*scaler_, *device);
  }
  return decider_;
}

// Waits for what the device has decided so far.
void Optimizer::decide_on_host() {
  if (decider_ == nullptr) return;
  for (const auto& [path, param] : params_) {
    if (UpdateRule* rule = rule_of(param)) rule->set_decider(nullptr);
  }
  t_ = t();
  was_skipped_ = was_skipped();
  scaler_->restore(decider_->scale_value(), decider_->has_overflowed());
  decider_ = nullptr;
}

std::vector<Parameter> Optimizer::trained_params() const {
  std::vector<Parameter> params = target().params(/*include_uninit=*/false);
  std::erase_if(params, [](const Parameter& param) {
    const auto& rule = param.update_rule();
    return !rule || !rule->enabled() || param.is_frozen() ||
           !param.grad().defined();
  });
  return params;
}

std::vector<Parameter> Optimizer::updated_params() const {
  std::vector<Parameter> params;
  for (const Parameter& param : trained_params()) {
    // Between steps a copy has no gradient.
    const UpdateRule* own = rule_of(param);
    const Parameter& updated = own != nullptr ? own->updated(param) : param;
    params.push_back(updated.grad().defined() ? updated : param);
  }
  return params;
}

void Optimizer::weight_decay(double rate) {
  optimizers::check_finite("weight_decay", "rate", rate);
  change_gradients([&](optimizers::UpdateBatch& batch, const Parameter& param,
                       const Array& grad) {
    batch.add(optimizers::WeightDecayOp{rate}, {param.data()}, {grad});
  });
}

double Optimizer::compute_grads_norm() const {
  return norm_of_gradients(updated_params());
}

void Optimizer::change_gradients(const AddChange& add) {
  const std::vector<Parameter> params = updated_params();
  const auto add_all = [&](optimizers::UpdateBatch& batch,
                           const std::vector<Array>& grads) {
    for (size_t i = 0; i < params.size(); ++i) add(batch, params[i], grads[i]);
  };
  if (joined_ == nullptr) {
    optimizers::UpdateBatch batch;
    add_all(batch, own_gradients(params));
    return batch.run();
  }
  if (joined_grads_.empty()) joined_grads_ = own_gradients(params);
  joined_->then();
  add_all(*joined_, joined_grads_);
  are_widened_only_ = false;
}

std::vector<Array> Optimizer::own_gradients(
    const std::vector<Parameter>& params) const {
  std::vector<Array> grads;
  for (const Parameter& param : params) {
    // What waits to fill the gradient of a copy shares it.
    const bool is_copy = joined_ != nullptr && rule_of(param) == nullptr;
    grads.push_back(is_copy ? param.grad() : param.mutable_grad());
  }
  return grads;
}

void Optimizer::run_joined() {
  if (joined_ == nullptr) return;
  joined_->run();
  joined_grads_.clear();
  are_widened_only_ = false;
}

bool Optimizer::can_join_step() const {
  return current_capture() == nullptr &&
         std::ranges::all_of(params_, [](const auto& entry) {
           const Parameter& param = entry.second;
           return !param.is_initialized() || is_on_host(param);
         });
}

bool Optimizer::are_rules_fused() const {
  return std::ranges::all_of(params_, [](const auto& entry) {
    const UpdateRule* const rule = rule_of(entry.second);
    return rule != nullptr && rule->is_fused() && !rule->has_hooks();
  });
}

void Optimizer::clip_grads(double max_norm) {
  optimizers::check_positive("clip_grads", "max_norm", max_norm);
  if (const std::vector<Parameter> params = updated_params();
      std::ranges::none_of(params, is_on_host)) {
    if (!params.empty()) clip_on_devices(params, max_norm);
    return;
  }
  // Float32 copies of gradients have the same norm as what they are copies of.
  const bool are_copies = joined_ != nullptr && are_widened_only_;
  if (!are_copies) run_joined();
  const double norm =
      norm_of_gradients(are_copies ? trained_params() : updated_params());
  const double rate = max_norm / norm;
  if (!(rate < 1)) return;
  change_gradients([&](optimizers::UpdateBatch& batch,
                       const Parameter& /*param*/, const Array& grad) {
    batch.add(optimizers::ScaleGradientOp{rate}, {}, {grad});
  });
}

void Optimizer::accumulate_grads(std::span<const Array> grads) try {
  const std::vector<Parameter> params = target().params();
  if (grads.size() != params.size()) {
    raise<ValueError>("accumulate_grads: expected ", params.size(),
                      " gradients, one for each parameter, got ", grads.size());
  }
  for (size_t i = 0; i < params.size(); ++i) {
    if (!grads[i].defined()) continue;
    if (!params[i].is_initialized() || grads[i].shape() != params[i].shape()) {
      raise<ShapeError>("accumulate_grads: gradient ", i, ": expected ",
                        params[i].is_initialized()
                            ? str("shape ", params[i].shape())
                            : "none for a parameter without a shape",
                        ", got shape ", grads[i].shape());
    }
  }
  // All memory first: an error then leaves every gradient as it was.
  const optimizers::WeightDecayOp add{.rate = 1};  // g <- g + 1 * other
  optimizers::UpdateBatch batch;
  std::vector<std::pair<Parameter, Variable>> first;
  for (size_t i = 0; i < params.size(); ++i) {
    if (!grads[i].defined() || params[i].is_frozen()) continue;
    const Parameter& param = params[i];
    const Array grad = grads[i].to_device(param.device()).astype(param.dtype());
    if (param.grad().defined()) {
      batch.add(add, {grad}, {param.mutable_grad()});
    } else {
      first.emplace_back(param, as_variable(grad.copy()));
    }
  }
  batch.run();
  for (const auto& [param, grad] : first) param.set_grad_var(grad);
} catch (const std::bad_alloc&) {
  raise_out_of_memory("accumulate_grads");
}

bool Optimizer::are_gradients_finite() const {
  std::vector<Parameter> params;
  for (const auto& [path, param] : params_) {
    if (param.is_initialized() && param.grad().defined() &&
        !param.is_frozen()) {
      params.push_back(param);
    }
  }
  // NaN and infinity propagate through a sum.
  return std::isfinite(
      sum_gradients<array::SumOp>(params, [](const Array& grad) {
        // A float16 sum overflows quickly.
        const bool is_half = item_size(grad.dtype()) < 4;
        return array::sum(is_half ? grad.astype(Dtype::kFloat32) : grad)
            .astype(Dtype::kFloat64)
            .item<double>();
      }));
}

Link& Optimizer::target() const {
  if (target_ == nullptr) {
    raise<ValueError>("Optimizer: expected setup(link) before the first use");
  }
  if (target_->link == nullptr) {
    raise<ValueError>(
        "Optimizer: expected the target of setup(), got one that was ",
        target_->end,
        " since; call setup() once the model is where it stays: a std::vector "
        "moves its models as it grows, so reserve() first or hold them by "
        "std::unique_ptr");
  }
  return *target_->link;
}

const LossFunction& Optimizer::loss_function() const {
  target();
  return loss_function_;
}

void Optimizer::update() try {
  const TraceSpan span("training", "optimizer");
  const RecordedFunction recorded("optimizer");
  target();
  if (current_capture() != nullptr) check_capture();
  if (exchange_) exchange_->exchange(target());
  for (const auto& [path, param] : params_) {
    if (param.is_initialized() && !param.grad().defined()) param.zerograd();
  }
  const std::shared_ptr<DeviceLossScaler> decider = this->decider();
  const double scale = decider != nullptr ? 1.0 : loss_scale();
  if (decider != nullptr) {
    std::vector<Array> grads;
    for (const auto& [path, param] : params_) {
      const bool has_gradient = param.is_initialized() && !param.is_frozen();
      rule_of(param)->set_decider(
          has_gradient && rule_of(param)->enabled() ? decider : nullptr);
      if (has_gradient) grads.push_back(param.grad());
    }
    decider->decide(optimizers::sum_many<array::SumOp>(grads)[0]);
  } else if (scaler_) {
    was_skipped_ = !are_gradients_finite();
    if (was_skipped_) return scaler_->after_step(false);
  }
  optimizers::UpdateBatch batch;
  for (const auto& [path, param] : params_) {
    UpdateRule* rule = rule_of(param);
    if (rule == nullptr) continue;
    if (decider != nullptr) {
      rule->take_gradient(param, *decider, batch);
    } else {
      rule->take_gradient(param, scale, batch);
    }
  }
  const bool joins_step = decider == nullptr && can_join_step();
  if (!joins_step || scale != 1) batch.run();
  try {
    {
      const JoiningScope scope(*this, joins_step ? &batch : nullptr);
      are_widened_only_ = true;
      call_hooks();
    }
    finish_step(batch, joins_step, decider.get());
  } catch (...) {
    // Copies of gradients may not have been made.
    for (const auto& [path, param] : params_) {
      if (UpdateRule* rule = rule_of(param)) rule->drop_gradient();
    }
    throw;
  }
  if (decider == nullptr && scaler_) scaler_->after_step(true);
} catch (const std::bad_alloc&) {
  raise_out_of_memory("Optimizer::update");
}

void Optimizer::finish_step(optimizers::UpdateBatch& batch, bool joins_step,
                            const DeviceLossScaler* decider) {
  Capture* const capture = current_capture();
  if (capture != nullptr) {
    capture->on_launch([this] { ++t_; });
    capture->on_failed_launch([this] { --t_; });
  } else {
    ++t_;
  }
  try {
    if (decider != nullptr) batch = optimizers::UpdateBatch(decider->gate());
    update_params(batch, joins_step);
  } catch (...) {
    if (capture == nullptr) --t_;
    throw;
  }
}

void Optimizer::check_capture() const {
  if (scaler_ && !exchange_ && !deciding_device()) {
    raise<NotImplementedError>(
        "Optimizer: expected no loss scaling in a step that is captured, in "
        "which the host cannot decide whether gradients are finite: for the "
        "device to do so, all parameters must be on one GPU, rules be of "
        "catena's optimizers and hooks have kIsCapturable; got a scale of ",
        scaler_->scale());
  }
  if (exchange_) {
    raise<NotImplementedError>(
        "Optimizer: expected one process in a step that is captured, got an "
        "optimizer that exchanges gradients with others");
  }
}

std::string Optimizer::capture_obstacle() const {
  if (exchange_) return "the optimizer exchanges gradients with others";
  if (scaler_ && !deciding_device()) {
    return "loss scaling asks the host whether gradients are finite";
  }
  if (!host_hooks_.empty()) {
    return str("the optimizer's hook '", host_hooks_.front(),
               "' is called by the host in each step");
  }
  for (const auto& [path, param] : params_) {
    const UpdateRule* rule = rule_of(param);
    if (rule == nullptr || rule->has_hooks()) {
      return str("the host calls ", rule == nullptr ? "the" : "a hook of the",
                 " update rule of ", path, " in each step");
    }
  }
  return {};
}

void Optimizer::append_capture_key(std::vector<uint64_t>& key) const {
  key.insert(key.end(), {hook_changes_, use_cleargrads_, exchange_ != nullptr,
                         scaler_.has_value(),
                         reinterpret_cast<uintptr_t>(decider_.get())});
  // Called in each step: most rules are of one type, for which the cast is
  // known, since casts took half of the time.
  const UpdateRuleBase* known = nullptr;
  for (const auto& [path, param] : params_) {
    const Array& data = param.data();
    key.push_back(data.defined() ? reinterpret_cast<uintptr_t>(data.raw_data())
                                 : 0);
    const UpdateRuleBase* const rule = param.update_rule().get();
    key.push_back(reinterpret_cast<uintptr_t>(rule));
    if (rule == nullptr) continue;
    if (known == nullptr || typeid(*rule) != typeid(*known)) {
      if (dynamic_cast<const UpdateRule*>(rule) == nullptr) continue;
      known = rule;
    }
    static_cast<const UpdateRule*>(rule)->append_capture_key(param, key);
  }
}

void Optimizer::update_params(optimizers::UpdateBatch& batch, bool joins_step) {
  joins_step = joins_step && are_rules_fused();
  if (!joins_step) batch.run();
  batch.then();
  const auto each_rule = [&](auto visit) {
    for (const auto& [path, param] : params_) {
      if (UpdateRule* rule = rule_of(param)) visit(*rule, param);
    }
  };
  try {
    each_rule([&](UpdateRule& rule, const Parameter& param) {
      rule.start_update(param, batch);
    });
    if (joins_step && !hooks_.has(HookTiming::kPost)) {
      each_rule([&](UpdateRule& rule, const Parameter& param) {
        rule.join_write_back(param, batch);
      });
    }
    batch.run();
  } catch (...) {
    // No parameter has changed so far.
    each_rule([](UpdateRule& rule, const Parameter& /*param*/) {
      rule.cancel_update();
    });
    throw;
  }
  for (const auto& [path, param] : params_) {
    if (UpdateRule* rule = rule_of(param)) {
      rule->run_post_hooks(param);
    } else {
      param.update();  // not an UpdateRule
    }
  }
  call_hooks(HookTiming::kPost);
  each_rule([&](UpdateRule& rule, const Parameter& param) {
    rule.write_back_copy(param, batch);
  });
  batch.run();
}

void Optimizer::add_hook(std::string name, Hook hook, HookTiming timing) {
  insert_hook(std::move(name), std::move(hook), timing, /*joins_step=*/false);
}

void Optimizer::insert_hook(std::string name, Hook hook, HookTiming timing,
                            bool joins_step) {
  // What does not join the step gets gradients as the hooks before left them.
  const auto call = [hook = std::move(hook), joins_step](Optimizer& optimizer) {
    if (joins_step) return hook(optimizer);
    optimizer.run_joined();
    const JoiningScope apart(optimizer, nullptr);
    hook(optimizer);
  };
  hooks_.add(name, call, timing);
  host_hooks_.push_back(std::move(name));
  ++hook_changes_;
}

void Optimizer::remove_hook(std::string_view name) {
  hooks_.remove(name);
  std::erase(host_hooks_, name);
  ++hook_changes_;
}

void Optimizer::call_hooks(HookTiming timing) { hooks_.call(timing, *this); }

Variable Optimizer::update(const LossFunction& lossfun,
                           const LossInputs& inputs) {
  return step([&] { return lossfun(inputs); });
}

Variable Optimizer::computed(const std::function<Variable()>& compute_loss,
                             bool is_first) {
  const InitializationScope scope;
  if (exchange_ && is_first) {
    exchange_->prepare(target(), [&] { compute_loss(); });
  }
  return compute_loss();
}

Variable Optimizer::step(const std::function<Variable()>& compute_loss) {
  target();
  return step(computed(compute_loss, /*is_first=*/true));
}

Variable Optimizer::step(const Variable& loss) {
  // Releases the graph only after the step, when gradient buffers are no longer
  // in use.
  clear_gradients();
  differentiate(loss, 1, /*is_last=*/true);
  update();
  return loss;
}

std::vector<Variable> Optimizer::update_mean(
    std::span<const std::function<Variable()>> losses) {
  target();
  if (losses.empty()) {
    raise<ValueError>("update_mean: expected losses, got none");
  }
  const double factor = 1 / static_cast<double>(losses.size());
  std::vector<Variable> results;
  for (size_t i = 0; i < losses.size(); ++i) {
    const bool is_first = i == 0;
    const Variable loss = computed(losses[i], is_first);
    if (is_first) clear_gradients();
    differentiate(loss, factor, /*is_last=*/i + 1 == losses.size());
    results.push_back(as_variable(loss.data()));
  }
  update();
  return results;
}

void Optimizer::clear_gradients() {
  if (use_cleargrads_) {
    target().cleargrads();
  } else {
    target().zerograds();
  }
}

void Optimizer::differentiate(const Variable& loss, double factor,
                              bool is_last) {
  BackwardOptions options;
  const std::shared_ptr<DeviceLossScaler> decider = this->decider();
  if (decider != nullptr && loss.creator_node() != nullptr) {
    const Array scale = decider->scale().astype(loss.dtype());
    loss.set_grad((factor == 1 ? scale : scale * factor).reshape(loss.shape()));
  } else {
    options.loss_scale = loss_scale() * factor;
  }
  if (exchange_ && is_last) {
    exchange_->backward(target(), loss, options);
  } else {
    loss.backward(options);
  }
}

double Optimizer::hyperparameter(std::string_view name) const {
  return const_cast<Optimizer*>(this)->find_hyperparameter(name);
}

void Optimizer::set_hyperparameter(std::string_view name, double value) {
  double& own = find_hyperparameter(name);
  const double previous = std::exchange(own, value);
  try {
    check_hyperparameters();
  } catch (...) {
    own = previous;
    throw;
  }
}

void Optimizer::serialize_loss_scale(const Serializer& serializer) {
  // Missing from Chainer's snapshots.
  if (!serializer.is_writer() && !serializer.contains("loss_scale")) return;
  auto state = std::make_shared<std::pair<double, bool>>(
      loss_scale(), decider_ != nullptr ? decider_->has_overflowed()
                                        : scaler_->has_overflowed());
  serializer("loss_scale", state->first);
  serializer("loss_has_overflowed", state->second);
  if (serializer.is_writer()) return;
  serializer.on_commit(
      [this, state] { scaler_->restore(state->first, state->second); });
}

void Optimizer::serialize(const Serializer& serializer) {
  target();
  if (serializer.is_writer()) {
    int64_t t = this->t();
    serializer("t", t);
  } else {
    decide_on_host();
    serializer("t", t_);
  }
  serializer("epoch", epoch_);
  if (scaler_ && scaler_->is_dynamic()) serialize_loss_scale(serializer);
  for (const auto& [path, param] : params_) {
    if (UpdateRule* rule = rule_of(param)) {
      rule->serialize(serializer[path], param);
    }
  }
}

}  // namespace catena
