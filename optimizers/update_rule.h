#pragma once

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

// How one parameter is updated: a step counter, named state arrays (momentum
// and the like) and hooks. An algorithm derives from UpdateRuleOf below.
class UpdateRule : public UpdateRuleBase {
 public:
  // Runs the hooks and one step. A parameter without data or gradient stays as
  // it is.
  void update(const Parameter& parameter) override;

  // Called before or after each step with the parameter, in the order of
  // addition. ValueError if the name exists (add) or is unknown (remove).
  using Hook = std::function<void(UpdateRule& rule, const Parameter&)>;
  void add_hook(std::string name, Hook hook,
                HookTiming timing = HookTiming::kPre) {
    hooks_.add(std::move(name), std::move(hook), timing);
  }
  void remove_hook(std::string_view name) { hooks_.remove(name); }

  // The value that holds for this parameter: its own, or else the optimizer's.
  // ValueError when there is none of that name, and for a value out of range.
  virtual double hyperparameter(std::string_view name) const;
  // Gives this parameter a value of its own; the others stay the optimizer's.
  virtual void set_hyperparameter(std::string_view name, double value);

  // Whether a parameter of float16 or bfloat16 is updated through a copy in
  // float32: the gradient is cast, the copy is updated, with its hooks and its
  // state in float32, and what it rounds to becomes the parameter.
  void use_fp32_update(bool flag = true) { use_fp32_update_ = flag; }
  // The copy where there is one, else the parameter itself.
  const Parameter& updated(const Parameter& parameter) const {
    return uses_copy(parameter) && fp32_param_.defined() ? fp32_param_
                                                         : parameter;
  }
  // Divides the gradient by a loss scale and hands it to the copy, if there is
  // one. For optimizers, before hooks run; update does it where nobody did.
  void take_gradient(const Parameter& parameter, double loss_scale);
  // Makes the state, and the copy, when there is none, and moves it to the
  // parameter's device. A step does it by itself.
  void prepare(const Parameter& parameter);

  // A step in parts, for optimizers: what start_update adds to the batch of all
  // parameters runs before run_post_hooks. After all hooks, write_back_copy
  // lets the parameter follow its copy, if there is one.
  void start_update(const Parameter& parameter, optimizers::UpdateBatch& batch);
  void run_post_hooks(const Parameter& parameter);
  void write_back_copy(const Parameter& parameter);

  // Steps done so far.
  int64_t t() const { return t_; }
  const std::map<std::string, Array>& state() const { return state_; }

  // Step counter and state. Reading before the first step makes the state, also
  // for a parameter that has no shape yet.
  void serialize(const Serializer& serializer, const Parameter& parameter);

 protected:
  // The keys of the state arrays, which are the keys in a snapshot.
  virtual std::span<const std::string_view> state_names() const { return {}; }
  // Makes the state arrays: zeros like the parameter.
  virtual void init_state(const Parameter& parameter);
  // One step of the algorithm, the t()-th. The gradient is defined.
  virtual void update_core(const Parameter& parameter) = 0;
  // For update_core, as the last thing it does: the functor op(in...,
  // inout&...) over arrays like the parameter, in one pass together with the
  // updates of the optimizer's other parameters.
  template <class Op>
  void run_fused(const Op& op, std::initializer_list<Array> in,
                 std::initializer_list<Array> inout) {
    batch_->add(op, in, inout);
  }

  // A state array.
  Array& state_array(std::string_view name) {
    return state_[std::string(name)];
  }

 private:
  bool uses_copy(const Parameter& parameter) const {
    return use_fp32_update_ && parameter.is_initialized() &&
           is_floating(parameter.dtype()) && item_size(parameter.dtype()) == 2;
  }
  // Makes the copy, or makes it anew when somebody changed the parameter.
  void ensure_copy(const Parameter& parameter);
  void ensure_state(const Parameter& parameter);

  bool use_fp32_update_ = false;
  Parameter fp32_param_;
  // The parameter's when the copy was in step with it.
  int64_t copied_version_ = 0;
  int64_t t_ = 0;
  std::map<std::string, Array> state_;
  NamedHooks<Hook> hooks_{"UpdateRule"};
  optimizers::UpdateBatch* batch_ = nullptr;  // of the step under way, or null
};

// The update rule of a parameter. ValueError when it has none, as before
// Optimizer::setup.
UpdateRule& update_rule_of(const Parameter& parameter);

// The update rule of an algorithm with these options: the optimizer's, read
// anew at each step, but for those that this parameter has of its own.
template <class Options>
class UpdateRuleOf : public UpdateRule {
 public:
  explicit UpdateRuleOf(std::shared_ptr<const Options> parent)
      : parent_(std::move(parent)) {}

  // What holds for this parameter.
  Options hyper() const {
    Options options = own_ ? *own_ : *parent_;
    for (const auto& [member, value] : values_) options.*member = value;
    return options;
  }
  // The optimizer's.
  const Options& parent() const { return *parent_; }
  // Gives this parameter options of its own, all of them. ValueError.
  void set_hyper(const Options& options) {
    options.check();
    own_ = options;
    values_.clear();
  }
  // Gives it the optimizer's again.
  void reset_hyper() {
    own_.reset();
    values_.clear();
  }

  double hyperparameter(std::string_view name) const override {
    return hyper().*member_named<Options>(name);
  }
  void set_hyperparameter(std::string_view name, double value) override {
    const auto member = member_named<Options>(name);
    Options options = hyper();
    options.*member = value;
    options.check();
    std::erase_if(values_,
                  [=](const auto& own) { return own.first == member; });
    values_.emplace_back(member, value);
  }

 private:
  std::shared_ptr<const Options> parent_;
  std::optional<Options> own_;
  std::vector<std::pair<double Options::*, double>> values_;
};

}  // namespace catena
