#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "catena/links/chain.h"
#include "catena/links/link.h"
#include "catena/optimizers/hook.h"
#include "catena/optimizers/hyperparameter.h"
#include "catena/optimizers/loss_scaler.h"
#include "catena/optimizers/update_rule.h"
#include "catena/serializers/serializer.h"

namespace catena {

// Computes a loss from the arrays of a minibatch.
using LossFunction = std::function<Variable(std::span<const Variable>)>;

// Any callable, or a link with forward, of one to four variables as a
// LossFunction. ValueError at the call when the number does not fit.
template <class F>
LossFunction loss_function_of(F& f);

// Joins an optimizer with those of other processes or threads that train copies
// of its target: see training/communicators/multi_node_optimizer.h.
class GradientExchange {
 public:
  virtual ~GradientExchange() = default;
  // Before a step: parameters become the same in all copies. `compute_loss`
  // may be called, to give them their shapes.
  virtual void prepare(Link& target,
                       const std::function<void()>& compute_loss) = 0;
  // loss.backward(options), during which gradients may begin to travel.
  virtual void backward(Link& target, const Variable& loss,
                        const BackwardOptions& options) = 0;
  // Replaces the gradients, before the step uses them.
  virtual void exchange(Link& target) = 0;
};

// Changes the parameters of a link, its target, so as to lower a loss.
//
// Order of an update: gradients that are missing become zeros, a loss scale is
// taken out of them, hooks of the optimizer run in the order of their addition
// over all parameters, then the update rules' own hooks and their steps, these
// together; last come hooks for the time after the step, the rules' first.
class Optimizer {
 public:
  virtual ~Optimizer() = default;
  Optimizer(const Optimizer&) = delete;
  Optimizer& operator=(const Optimizer&) = delete;

  // Takes a link as the target and gives each of its parameters an update rule.
  // The link must outlive the optimizer and stay where it is. When it can be
  // called with variables, it is also the loss function of update(arrays).
  template <class L>
  requires std::derived_from<L, Link> Optimizer& setup(L& link) {
    loss_function_ = loss_function_of(link);
    return setup_target(link);
  }
  template <class L>
  Optimizer& setup(const L&&) = delete;  // a temporary would be gone

  // The target. ValueError before setup.
  Link& target() const;
  // The target's own loss. ValueError before setup.
  const LossFunction& loss_function() const;

  // One step with the gradients that the parameters have. ValueError before
  // setup.
  void update();
  // Computes the loss, clears gradients, propagates back, and does one step.
  // Returns the loss.
  template <class F, class... Args>
  requires std::invocable<F&, const Args&...> Variable
  update(F&& lossfun, const Args&... args) {
    if (exchange_) exchange_->prepare(target(), [&] { lossfun(args...); });
    return step(lossfun(args...));
  }
  // The same on a minibatch, with the target's own loss as updaters do.
  Variable update(const LossFunction& lossfun,
                  std::span<const Variable> inputs) {
    if (exchange_) exchange_->prepare(target(), [&] { lossfun(inputs); });
    return step(lossfun(inputs));
  }

  // Mixed precision. The gradient of the loss is multiplied by a scale, so that
  // small gradients do not vanish in float16, and all gradients are divided by
  // it before hooks see them. A step whose gradients are not finite is skipped:
  // no hook runs, and parameters and t stay as they are. update(lossfun, ...)
  // does all of it; whoever calls backward() passes loss_scale() there.
  void loss_scaling(const LossScalingOptions& options = {});
  void set_loss_scale(double scale) { loss_scaling({.scale = scale}); }
  // 1 without loss scaling.
  double loss_scale() const { return scaler_ ? scaler_->scale() : 1.0; }
  // Whether the last step was skipped.
  bool was_skipped() const { return was_skipped_; }
  // Updates parameters of float16 or bfloat16 through copies in float32, see
  // UpdateRule::use_fp32_update; with the setting dtype mixed16, setup does so.
  void use_fp32_update(bool flag = true);

  // Null, as at first, for an optimizer that works alone.
  void set_gradient_exchange(std::shared_ptr<GradientExchange> exchange) {
    exchange_ = std::move(exchange);
  }

  // For hooks: the parameters that this step updates, or the float32 copies
  // that stand for them, with their gradients. The parameters themselves follow
  // their copies when all hooks have run.
  std::vector<Parameter> updated_params() const;

  // What hooks do, for loops that call it before update(): adds rate * w to
  // each gradient; scales all gradients down so that their joint Euclidean norm
  // is at most max_norm; that norm (0 without gradients), for which the host
  // waits for the device. ValueError when rate or max_norm is out of range.
  void weight_decay(double rate);
  void clip_grads(double max_norm);
  double compute_grads_norm() const;
  // Adds gradients that were computed elsewhere, on any device, to those of the
  // target's parameters, in the order of params(); undefined ones are left out.
  // ValueError and ShapeError, before any is added, when they do not fit.
  void accumulate_grads(std::span<const Array> grads);
  // Gradients of zeros, for loops that add up several backward passes.
  void zero_grads() { target().zerograds(); }
  // Whether update(lossfun, ...) undefines gradients first, which saves the
  // additions to zeros (the default), or fills them with zeros, so that those
  // of parameters without influence on the loss are defined.
  void use_cleargrads(bool use = true) { use_cleargrads_ = use; }

  // Gives update rules to parameters that the target got after setup, and makes
  // what states are missing, on their parameters' devices.
  void prepare();

  // Updates and epochs so far.
  int64_t t() const { return t_; }
  int64_t epoch() const { return epoch_; }
  void new_epoch() { ++epoch_; }

  // A function over the whole target before or after each step, such as weight
  // decay; see hooks.h. An object names itself by kName, and its time, unless
  // it is kPre, by kTiming. ValueError if the name exists (add) or is
  // unknown (remove).
  using Hook = std::function<void(Optimizer& optimizer)>;
  void add_hook(std::string name, Hook hook,
                HookTiming timing = HookTiming::kPre) {
    hooks_.add(std::move(name), std::move(hook), timing);
  }
  template <class H>
  requires requires(H hook, Optimizer& optimizer) {
    { H::kName } -> std::convertible_to<std::string_view>;
    hook(optimizer);
  }
  void add_hook(H hook, std::optional<HookTiming> timing = std::nullopt) {
    HookTiming own = HookTiming::kPre;
    if constexpr (requires { HookTiming{H::kTiming}; }) own = H::kTiming;
    add_hook(std::string(H::kName), Hook(std::move(hook)),
             timing.value_or(own));
  }
  void remove_hook(std::string_view name) { hooks_.remove(name); }
  void call_hooks(HookTiming timing = HookTiming::kPre) {
    hooks_.call(timing, *this);
  }

  // The value of a hyperparameter: lr, momentum, ... update_rule_of(parameter)
  // can have values of its own. ValueError naming those there are, and for a
  // value out of range.
  double hyperparameter(std::string_view name) const;
  void set_hyperparameter(std::string_view name, double value);
  virtual std::vector<std::string_view> hyperparameter_names() const = 0;
  // The learning rate of the last step, as extensions report it; Adam's follows
  // from others. ValueError when the algorithm has none.
  virtual double lr() const { return hyperparameter("lr"); }

  // Counters and update rules. Parameters are saved with the link.
  void serialize(const Serializer& serializer);

 protected:
  Optimizer() = default;

  virtual std::shared_ptr<UpdateRule> create_update_rule() = 0;
  // The hyperparameter. ValueError naming those there are.
  virtual double& find_hyperparameter(std::string_view name) = 0;
  // Throws ValueError when hyperparameters are outside their domains.
  virtual void check_hyperparameters() const = 0;

 private:
  Optimizer& setup_target(Link& link);
  Variable step(const Variable& loss);
  bool are_gradients_finite() const;
  void update_params();
  void serialize_loss_scale(const Serializer& serializer);

  Link* target_ = nullptr;
  LossFunction loss_function_;
  std::vector<std::pair<std::string, Parameter>> params_;
  NamedHooks<Hook> hooks_{"Optimizer"};
  std::shared_ptr<GradientExchange> exchange_;
  std::optional<LossScaler> scaler_;
  bool use_cleargrads_ = true;
  bool use_fp32_update_ = false;
  bool was_skipped_ = false;
  int64_t t_ = 0;
  int64_t epoch_ = 0;
};

// An optimizer with hyperparameters Options and update rule Rule, which is made
// from a shared pointer to them. Options has `check()`, which throws
// ValueError, and the table kHyperparameters.
template <class OptionsType, class Rule>
class GradientMethod : public Optimizer {
 public:
  using Options = OptionsType;

  explicit GradientMethod(const Options& options)
      : options_(std::make_shared<Options>(options)) {
    options.check();
  }

  const Options& options() const { return *options_; }

  std::vector<std::string_view> hyperparameter_names() const override {
    return member_names<Options>();
  }

 protected:
  std::shared_ptr<UpdateRule> create_update_rule() override {
    return std::make_shared<Rule>(options_);
  }
  double& find_hyperparameter(std::string_view name) override {
    return options_.get()->*member_named<Options>(name);
  }
  void check_hyperparameters() const override { options_->check(); }

 private:
  std::shared_ptr<Options> options_;
};

namespace internal {
[[noreturn]] void throw_argument_count(size_t count);
}  // namespace internal

template <class F>
LossFunction loss_function_of(F& f) {
  return [&f](std::span<const Variable> x) -> Variable {
    const auto call = [&](const auto&... args) -> Variable {
      if constexpr (CallableLink<F, decltype(args)...>) {
        return call_link(f, args...);
      } else {
        internal::throw_argument_count(x.size());
      }
    };
    switch (x.size()) {
      case 1:
        return call(x[0]);
      case 2:
        return call(x[0], x[1]);
      case 3:
        return call(x[0], x[1], x[2]);
      case 4:
        return call(x[0], x[1], x[2], x[3]);
      default:
        internal::throw_argument_count(x.size());
    }
  };
}

}  // namespace catena
