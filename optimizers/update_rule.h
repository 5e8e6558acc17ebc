#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "catena/autograd/parameter.h"
#include "catena/optimizers/hook.h"
#include "catena/optimizers/hyperparameter.h"
#include "catena/optimizers/update_batch.h"
#include "catena/serializers/serializer.h"

namespace catena {

class DeviceLossScaler;

// How one parameter is updated: a step counter, named state arrays (momentum
// and the like) and hooks. An algorithm derives from UpdateRuleOf below.
class UpdateRule : public UpdateRuleBase {
 public:
  UpdateRule();
  ~UpdateRule() override;
  UpdateRule(const UpdateRule&) = delete;
  UpdateRule& operator=(const UpdateRule&) = delete;

  // Runs the hooks and one step. Does nothing for a parameter without data or
  // gradient.
  void update(const Parameter& parameter) override;

  // Called before or after each step with the parameter, in the order added.
  // Throw ValueError when the name exists (add) or is unknown (remove).
  using Hook = std::function<void(UpdateRule& rule, const Parameter&)>;
  void add_hook(std::string name, Hook hook,
                HookTiming timing = HookTiming::kPre);
  void remove_hook(std::string_view name);
  bool has_hooks() const {
    return hooks_.has(HookTiming::kPre) || hooks_.has(HookTiming::kPost);
  }

  // The value for this parameter: its own, or else the optimizer's. Throw
  // ValueError for an unknown name and for a value out of range.
  virtual double hyperparameter(std::string_view name) const;
  // Overrides a value for this parameter only; the others remain the
  // optimizer's.
  virtual void set_hyperparameter(std::string_view name, double value);

  // Whether to update a float16 or bfloat16 parameter through a float32 master
  // copy: the gradient is cast, hooks, state and update use float32, and the
  // copy is rounded to the parameter.
  void use_fp32_update(bool flag = true) { use_fp32_update_ = flag; }
  // The float32 copy if there is one, else the parameter.
  const Parameter& updated(const Parameter& parameter) const {
    return uses_copy(parameter) && fp32_param_.defined() ? fp32_param_
                                                         : parameter;
  }
  // Adds to the batch what divides the gradient by the loss scale and passes it
  // to the copy, if there is one. Optimizers call it and run the batch before
  // hooks run; otherwise update does.
  void take_gradient(const Parameter& parameter, double loss_scale,
                     optimizers::UpdateBatch& batch);
  // The same where the device knows what to multiply gradients by.
  void take_gradient(const Parameter& parameter, const DeviceLossScaler& scaler,
                     optimizers::UpdateBatch& batch);
  // Creates the state and the copy if missing, and moves them to the
  // parameter's device, unless the parameter is frozen. A step calls it
  // automatically.
  void prepare(const Parameter& parameter);

  // A step in parts, for optimizers: start_update adds to the batch of all
  // parameters, which runs before run_post_hooks. After all hooks,
  // write_back_copy adds to a batch what writes the copy, if there is one, back
  // to the parameter; without hooks in between, join_write_back adds it to the
  // first batch instead, and write_back_copy finishes the step.
  void start_update(const Parameter& parameter, optimizers::UpdateBatch& batch);
  void join_write_back(const Parameter& parameter,
                       optimizers::UpdateBatch& batch);
  // After an exception of start_update(), of this rule or another, in place of
  // the batch: the step does not count.
  void cancel_update();
  // After an exception between take_gradient() and the batch: the copy has no
  // gradient, and the next step takes it again.
  void drop_gradient() {
    if (fp32_param_.defined()) fp32_param_.cleargrad();
  }
  void run_post_hooks(const Parameter& parameter);
  void write_back_copy(const Parameter& parameter,
                       optimizers::UpdateBatch& batch);

  // The number of steps so far. Waits for the device if that decides which
  // steps are skipped.
  int64_t t() const { return t_ - skipped(); }
  // Whether a step is no more than run_fused(), whose functors depend on t by
  // recipes alone: the device can then skip it.
  virtual bool is_fused() const { return false; }
  // Optimizers call it before a step that the device may skip; null: the host
  // decides.
  void set_decider(std::shared_ptr<const DeviceLossScaler> scaler);
  const std::map<std::string, Array>& state() const { return state_; }

  // Appends what a captured step of the parameter depends on, other than
  // hyperparameters and the elements of arrays: see Optimizer.
  void append_capture_key(const Parameter& parameter,
                          std::vector<uint64_t>& key) const;

  // Serializes step counter and state. Reading before the first step creates
  // the state, even for an uninitialized parameter.
  void serialize(const Serializer& serializer, const Parameter& parameter);

 protected:
  // The names of the state arrays, which are also their keys in snapshots.
  virtual std::span<const std::string_view> state_names() const { return {}; }
  // Creates the state arrays; by default zeros like the parameter.
  virtual void init_state(const Parameter& parameter);
  // Performs step t() of the algorithm. The gradient is defined. Override
  // either this, or update_core_cpu and update_core_gpu, which the default
  // calls depending on the parameter's device. Throws NotImplementedError when
  // nothing is overridden.
  virtual void update_core(const Parameter& parameter);
  virtual void update_core_cpu(const Parameter& parameter);
  virtual void update_core_gpu(const Parameter& parameter);
  // For update_core, as its last action: runs the functor op(in..., inout&...)
  // over arrays like the parameter, in one pass together with the updates of
  // the optimizer's other parameters. Where the functor depends on t() or on
  // hyperparameters, pass a function that makes it:
  //
  //   run_fused([this] { return SGDOp{hyper().lr}; }, {grad}, {param});
  //
  // If the step is captured (captured_work.h), each launch calls it again, in
  // its step; the rest of update_core happens once, in the capture. It may
  // return a StepRecipe with recipe_t() instead of a functor with t().
  template <class Op>
  void run_fused(const Op& op, std::initializer_list<Array> in,
                 std::initializer_list<Array> inout) {
    batch_->add(op, in, inout);
  }

  // The t of recipes in update_core: t() where the host decides on steps.
  double recipe_t() const { return static_cast<double>(t_ + decided_from_); }

  // For changes of an algorithm other than in its numbers: a step that was
  // captured before is captured again.
  void note_change() { ++changes_; }

  // A state array.
  Array& state_array(std::string_view name);

 private:
  bool uses_copy(const Parameter& parameter) const {
    return use_fp32_update_ && parameter.is_initialized() &&
           is_floating(parameter.dtype()) && item_size(parameter.dtype()) == 2;
  }
  // Creates the copy, or recreates it if the parameter was changed.
  void ensure_copy(const Parameter& parameter);
  void ensure_state(const Parameter& parameter);
  // What the host does in a launch of a captured step.
  void count_launch(const Parameter& parameter);
  // How many of the steps in t_ the device skipped.
  int64_t skipped() const;

  bool use_fp32_update_ = false;
  Parameter fp32_param_;
  // The parameter's version when the copy was last synchronized.
  int64_t copied_version_ = 0;
  int64_t t_ = 0;  // with steps that the device skipped
  // Decides on steps; it had skipped decided_from_ of them when it began.
  std::shared_ptr<const DeviceLossScaler> decider_;
  int64_t decided_from_ = 0;
  uint64_t changes_ = 0;
  std::map<std::string, Array> state_;
  NamedHooks<Hook> hooks_{"UpdateRule"};
  optimizers::UpdateBatch* batch_ = nullptr;  // of the current step, or null
  bool is_written_back_ = false;              // by that batch
};

// The update rule of a parameter. Throws ValueError when it has none, e.g.
// before Optimizer::setup.
UpdateRule& update_rule_of(const Parameter& parameter);

// Base of an algorithm's update rule. Options are the optimizer's, read at each
// step, except those overridden for this parameter.
template <class Options>
class UpdateRuleOf : public UpdateRule {
 public:
  explicit UpdateRuleOf(std::shared_ptr<const Options> parent);

  // The options for this parameter.
  Options hyper() const;
  // The optimizer's options.
  const Options& parent() const { return *parent_; }
  // Overrides all options for this parameter. Throws ValueError.
  void set_hyper(const Options& options);
  // Reverts to the optimizer's options.
  void reset_hyper();

  double hyperparameter(std::string_view name) const override;
  void set_hyperparameter(std::string_view name, double value) override;

 private:
  std::shared_ptr<const Options> parent_;
  std::optional<Options> own_;
  std::map<size_t, double> values_;  // by the index of the hyperparameter
};

// Not in the class, where they would be inline: see GradientMethod.
template <class Options>
UpdateRuleOf<Options>::UpdateRuleOf(std::shared_ptr<const Options> parent)
    : parent_(std::move(parent)) {}
template <class Options>
Options UpdateRuleOf<Options>::hyper() const {
  Options options = own_ ? *own_ : *parent_;
  for (const auto& [i, value] : values_) {
    options.*Options::kHyperparameters[i].member = value;
  }
  return options;
}
template <class Options>
void UpdateRuleOf<Options>::set_hyper(const Options& options) {
  options.check();
  own_ = options;
  values_.clear();
  note_change();
}
template <class Options>
void UpdateRuleOf<Options>::reset_hyper() {
  own_.reset();
  values_.clear();
  note_change();
}
template <class Options>
double UpdateRuleOf<Options>::hyperparameter(std::string_view name) const {
  return hyper().*member_named<Options>(name);
}
template <class Options>
void UpdateRuleOf<Options>::set_hyperparameter(std::string_view name,
                                               double value) {
  const size_t i = hyperparameter_index<Options>(name);
  Options options = hyper();
  options.*Options::kHyperparameters[i].member = value;
  options.check();
  values_.insert_or_assign(i, value);
}

}  // namespace catena
