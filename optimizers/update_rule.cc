#include "catena/optimizers/update_rule.h"

#include <utility>

#include "catena/array/core/capture.h"
#include "catena/array/core/error.h"
#include "catena/array/creation.h"
#include "catena/array/reduction/comparison.h"
#include "catena/autograd/data_layout.h"
#include "catena/autograd/per_device.h"
#include "catena/optimizers/copy_ops.h"
#include "catena/optimizers/device_loss_scaler.h"
#include "catena/optimizers/hook_ops.h"

namespace catena {
namespace {

[[noreturn]] void throw_no_step_before(std::string_view what) {
  raise<ValueError>(
      "UpdateRule: expected a step before the one that is "
      "captured, which makes ",
      what, ", got none");
}

// Whether a step changes the parameter.
bool is_updated(const UpdateRule& rule, const Parameter& parameter) {
  return rule.enabled() && !parameter.is_frozen() &&
         parameter.is_initialized() && parameter.grad().defined();
}

Array read_state(const Serializer& serializer, std::string_view name,
                 const Parameter& parameter, Dtype dtype) {
  const Array* entry = std::get_if<Array>(serializer.read(name));
  if (entry == nullptr) serializer.fail(name, "an array", "something else");
  if (!parameter.is_initialized()) return *entry;
  if (entry->shape() != parameter.shape()) {
    serializer.fail(name, str("shape ", parameter.shape()),
                    to_string(entry->shape()));
  }
  Array state = empty_in_layout_of(parameter.data(), dtype, parameter.device());
  state.assign(entry->to_device(parameter.device()));
  return state;
}

}  // namespace

UpdateRule::UpdateRule() = default;
UpdateRule::~UpdateRule() = default;

void UpdateRule::add_hook(std::string name, Hook hook, HookTiming timing) {
  hooks_.add(std::move(name), std::move(hook), timing);
  note_change();
}

void UpdateRule::remove_hook(std::string_view name) {
  hooks_.remove(name);
  note_change();
}

Array& UpdateRule::state_array(std::string_view name) {
  return state_[std::string(name)];
}

void UpdateRule::update_core(const Parameter& parameter) {
  if (parameter.device().shares_host_memory()) {
    update_core_cpu(parameter);
  } else {
    update_core_gpu(parameter);
  }
}

void UpdateRule::update_core_cpu(const Parameter&) {
  internal::raise_not_overridden("UpdateRule",
                                 "update_core or update_core_cpu");
}

void UpdateRule::update_core_gpu(const Parameter&) {
  internal::raise_not_overridden("UpdateRule",
                                 "update_core or update_core_gpu");
}

void UpdateRule::init_state(const Parameter& parameter) {
  for (const std::string_view name : state_names()) {
    const Array& data = parameter.data();
    Array& state = state_array(name);
    state = empty_in_layout_of(data, data.dtype(), data.device());
    state.fill(0);
  }
}

void UpdateRule::ensure_state(const Parameter& parameter) {
  if (state_.empty()) {
    try {
      init_state(parameter);
    } catch (...) {
      state_.clear();  // may be a part of it
      throw;
    }
    // The graph would reset it in every launch.
    if (!state_.empty() && current_capture() != nullptr) {
      state_.clear();
      throw_no_step_before("the optimizer's state");
    }
  }
  for (auto& [name, array] : state_) {
    if (array.device() != parameter.device()) {
      array = copy_in_layout(array, parameter.device());
    }
  }
}

void UpdateRule::ensure_copy(const Parameter& parameter) {
  if (fp32_param_.defined() && copied_version_ != parameter.version()) {
    // A snapshot may have loaded both.
    const Array rounded = fp32_param_.data().astype(parameter.dtype());
    if (!array::array_equal(rounded.to_device(parameter.device()),
                            parameter.data())) {
      fp32_param_ = Parameter();
    }
  }
  if (!fp32_param_.defined()) {
    if (current_capture() != nullptr) throw_no_step_before("a float32 copy");
    const Array wide = empty_in_layout_of(parameter.data(), Dtype::kFloat32,
                                          parameter.device());
    wide.assign(parameter.data());
    fp32_param_ = Parameter(wide, parameter.name());
  } else if (fp32_param_.device() != parameter.device()) {
    fp32_param_.to_device(parameter.device());
  }
  copied_version_ = parameter.version();
}

void UpdateRule::take_gradient(const Parameter& parameter, double loss_scale,
                               optimizers::UpdateBatch& batch) {
  if (!is_updated(*this, parameter)) return;
  if (uses_copy(parameter)) {
    const Array gradient = parameter.grad();
    ensure_copy(parameter);
    const Array wide =
        empty_in_layout_of(gradient, Dtype::kFloat32, gradient.device());
    batch.add(optimizers::WidenOp{1 / loss_scale}, {gradient}, {wide});
    fp32_param_.set_grad(wide);
  } else if (loss_scale != 1.0) {
    batch.add(optimizers::ScaleGradientOp{1 / loss_scale}, {},
              {parameter.mutable_grad()});
  }
}

void UpdateRule::take_gradient(const Parameter& parameter,
                               const DeviceLossScaler& scaler,
                               optimizers::UpdateBatch& batch) {
  if (!is_updated(*this, parameter)) return;
  const auto* rate = scaler.rate().data<double>();
  if (!uses_copy(parameter)) {
    batch.add(optimizers::ScaleGradientByOp{rate}, {},
              {parameter.mutable_grad()});
    return;
  }
  const Array gradient = parameter.grad();
  ensure_copy(parameter);
  const Array wide =
      empty_in_layout_of(gradient, Dtype::kFloat32, gradient.device());
  batch.add(optimizers::WidenByOp{rate}, {gradient}, {wide});
  fp32_param_.set_grad(wide);
}

int64_t UpdateRule::skipped() const {
  return decider_ != nullptr ? decider_->skipped() - decided_from_ : 0;
}

void UpdateRule::set_decider(std::shared_ptr<const DeviceLossScaler> scaler) {
  if (decider_ == scaler) return;
  t_ -= skipped();
  decided_from_ = scaler != nullptr ? scaler->skipped() : 0;
  decider_ = std::move(scaler);
}

void UpdateRule::prepare(const Parameter& parameter) {
  if (!parameter.is_initialized() || parameter.is_frozen()) return;
  if (uses_copy(parameter)) ensure_copy(parameter);
  ensure_state(updated(parameter));
}

void UpdateRule::update(const Parameter& parameter) {
  optimizers::UpdateBatch batch;
  start_update(parameter, batch);
  batch.run();
  run_post_hooks(parameter);
  write_back_copy(parameter, batch);
  batch.run();
}

void UpdateRule::start_update(const Parameter& parameter,
                              optimizers::UpdateBatch& batch) {
  batch_ = nullptr;
  is_written_back_ = false;
  if (!is_updated(*this, parameter)) return;
  if (uses_copy(parameter) &&
      (!fp32_param_.defined() || !fp32_param_.grad().defined())) {
    optimizers::UpdateBatch own;
    take_gradient(parameter, 1.0, own);
    own.run();
  }
  const Parameter& target = updated(parameter);
  ensure_state(target);
  batch_ = &batch;
  ++t_;
  // A captured step is one when it is launched.
  struct Uncount {
    ~Uncount() {
      if (capture != nullptr) --t;
    }
    Capture* capture;
    int64_t& t;
  } const uncount{current_capture(), t_};
  if (uncount.capture != nullptr) {
    uncount.capture->on_launch([this, parameter] { count_launch(parameter); });
    uncount.capture->on_failed_launch([this] { --t_; });
  }
  hooks_.call(HookTiming::kPre, *this, target);
  update_core(target);
}

void UpdateRule::cancel_update() {
  const bool is_counted = std::exchange(batch_, nullptr) != nullptr;
  if (is_counted && current_capture() == nullptr) --t_;
}

void UpdateRule::count_launch(const Parameter& parameter) {
  ++t_;
  updated(parameter).bump_version();
  if (!uses_copy(parameter)) return;
  parameter.bump_version();
  copied_version_ = parameter.version();
}

void UpdateRule::append_capture_key(const Parameter& parameter,
                                    std::vector<uint64_t>& key) const {
  const auto add = [&](const Array& array) {
    key.push_back(
        array.defined() ? reinterpret_cast<uintptr_t>(array.raw_data()) : 0);
  };
  key.push_back(changes_ << 3 | uint64_t{parameter.is_frozen()} << 2 |
                uint64_t{use_fp32_update_} << 1 | uint64_t{enabled()});
  for (const auto& [name, array] : state_) add(array);
  if (!uses_copy(parameter) || !fp32_param_.defined()) return;
  add(fp32_param_.data());
  key.push_back(copied_version_ == parameter.version());
}

void UpdateRule::run_post_hooks(const Parameter& parameter) {
  if (batch_ == nullptr) return;
  const Parameter& target = updated(parameter);
  hooks_.call(HookTiming::kPost, *this, target);
  target.bump_version();
}

void UpdateRule::join_write_back(const Parameter& parameter,
                                 optimizers::UpdateBatch& batch) {
  if (batch_ == nullptr || !uses_copy(parameter)) return;
  batch.add(optimizers::NarrowOp(), {fp32_param_.data()}, {parameter.data()});
  is_written_back_ = true;
}

void UpdateRule::write_back_copy(const Parameter& parameter,
                                 optimizers::UpdateBatch& batch) {
  if (std::exchange(batch_, nullptr) == nullptr) return;
  if (!uses_copy(parameter)) return;
  fp32_param_.cleargrad();
  if (!std::exchange(is_written_back_, false)) {
    batch.add(optimizers::NarrowOp(), {fp32_param_.data()}, {parameter.data()});
  }
  parameter.bump_version();
  copied_version_ = parameter.version();
}

double UpdateRule::hyperparameter(std::string_view name) const {
  internal::throw_no_hyperparameter(name, {});
}

void UpdateRule::set_hyperparameter(std::string_view name, double) {
  internal::throw_no_hyperparameter(name, {});
}

UpdateRule& update_rule_of(const Parameter& parameter) {
  auto* rule = dynamic_cast<UpdateRule*>(parameter.update_rule().get());
  if (rule == nullptr) {
    raise<ValueError>(
        "update_rule_of: expected a parameter of a link that an "
        "optimizer was set up with, got '",
        parameter.name(), "'");
  }
  return *rule;
}

void UpdateRule::serialize(const Serializer& serializer,
                           const Parameter& parameter) {
  constexpr std::string_view kCopy = "fp32_param";
  set_decider(nullptr);
  serializer("t", t_);
  const bool copied = uses_copy(parameter);
  if (serializer.is_writer()) {
    // Nothing before the first step.
    for (const std::string_view name : state_names()) {
      if (const auto it = state_.find(std::string(name)); it != state_.end()) {
        serializer(name, it->second);
      }
    }
    if (copied && fp32_param_.defined()) {
      Array copy = fp32_param_.data();
      serializer(kCopy, copy);
    }
    return;
  }
  const Dtype dtype = copied || !parameter.is_initialized() ? Dtype::kFloat32
                                                            : parameter.dtype();
  // A file saved before the first step has no state.
  for (const std::string_view name : state_names()) {
    if (!serializer.contains(name)) continue;
    Array loaded = read_state(serializer, name, parameter, dtype);
    serializer.on_commit([this, name, loaded] { state_array(name) = loaded; });
  }
  if (copied && serializer.contains(kCopy)) {
    Array loaded = read_state(serializer, kCopy, parameter, dtype);
    serializer.on_commit([this, loaded] {
      fp32_param_ = Parameter(loaded);
      copied_version_ = -1;  // forces a comparison with the parameter
    });
  }
}

}  // namespace catena
