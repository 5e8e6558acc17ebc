#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "catena/links/chain.h"
#include "catena/links/link.h"
#include "catena/optimizers/hook.h"
#include "catena/optimizers/hyperparameter.h"
#include "catena/optimizers/loss_function.h"
#include "catena/optimizers/loss_scaler.h"
#include "catena/optimizers/update_rule.h"
#include "catena/serializers/serializer.h"

namespace catena {

// Synchronizes an optimizer with those of other processes or threads that train
// copies of its target; see training/communicators/multi_node_optimizer.h.
class GradientExchange {
 public:
  virtual ~GradientExchange() = default;
  // Called before a step; makes parameters equal in all copies. May call
  // `compute_loss` to initialize them.
  virtual void prepare(Link& target,
                       const std::function<void()>& compute_loss) = 0;
  // Calls loss.backward(options); may start to communicate gradients meanwhile.
  virtual void backward(Link& target, const Variable& loss,
                        const BackwardOptions& options) = 0;
  // Replaces the gradients before the step uses them.
  virtual void exchange(Link& target) = 0;
};

// Updates the parameters of a link, its target, to minimize a loss.
//
// Order of an update: missing gradients become zeros; gradients are divided by
// the loss scale; the optimizer's hooks run on all parameters, in the order
// they were added; then the update rules' own hooks and the steps, which run
// together; last come post-step hooks, the rules' first.
//
// An optimizer can be moved, at any time, with its target, state and hooks; a
// copy would update the same parameters. What refers to an optimizer, such as
// an updater or a Shift extension, keeps its address, so move it before. One
// that was moved from can only be assigned to.
class Optimizer {
 public:
  virtual ~Optimizer();
  Optimizer(const Optimizer&) = delete;
  Optimizer& operator=(const Optimizer&) = delete;

  // Sets the target and gives each of its parameters an update rule. The link
  // must outlive the optimizer and must not be moved: then target() throws.
  // Throws ValueError when it has no parameters, or has a link as a member that
  // is not a Child (Link::check_members). If it can be called with variables,
  // it is also the loss function of update(arrays).
  template <class L>
  requires std::derived_from<L, Link> Optimizer& setup(L& link) & {
    static_assert(internal::CheckForward<L>());
    loss_function_ = loss_function_of(link);
    link.set_object_size(sizeof(L));
    return setup_target(link);
  }
  // What would dangle does not compile: a link that is a temporary, and a
  // reference to an optimizer that is one.
  template <class L>
  Optimizer& setup(const L&&) & {
    static_assert(!sizeof(L),
                  "setup: the link is a temporary, which ends with this line: "
                  "give it a name, `MLP model(...); optimizer.setup(model);`");
    return *this;
  }
  template <class L>
  Optimizer& setup(L&&) && {
    static_assert(!sizeof(L),
                  "setup: the optimizer is a temporary, which ends with this "
                  "line: write `auto optimizer = setup(SGD(), model);`");
    return *this;
  }

  // The target. Throws ValueError before setup, and once the target is no
  // longer where it was then.
  Link& target() const;
  // The target as a loss function. Throws ValueError before setup.
  const LossFunction& loss_function() const;

  // One step with the current gradients of the parameters. Throws ValueError
  // before setup.
  void update();
  // Computes the loss, clears gradients, calls backward, and does one step.
  // Returns the loss.
  template <class F, class... Args>
  requires std::invocable<F&, const Args&...> Variable
  update(F&& lossfun, const Args&... args) {
    return step([&]() -> Variable { return lossfun(args...); });
  }
  // update() on a minibatch; updaters pass the target's own loss.
  Variable update(const LossFunction& lossfun, const LossInputs& inputs);

  // One step with the mean of the gradients of several losses, as of parts of a
  // minibatch that does not fit into memory: each is computed and
  // differentiated before the next one, and its graph freed. Returns the
  // losses, without graphs. Throws ValueError when there are none.
  std::vector<Variable> update_mean(
      std::span<const std::function<Variable()>> losses);

  // Turns on loss scaling for mixed precision. The gradient of the loss is
  // multiplied by a scale, so that small gradients do not underflow in float16,
  // and all gradients are divided by it before hooks run. A step whose
  // gradients are not finite is skipped: no hook runs, and parameters and t do
  // not change. update(lossfun, ...) does all this; if you call backward()
  // yourself, pass it loss_scale().
  //
  // If all parameters are on one GPU, rules are of catena's optimizers and the
  // host has no part in hooks (kIsCapturable), the GPU decides whether a step
  // is skipped: hooks then run, but on gradients that nothing is updated with.
  // The host waits only when it asks for what follows, or for t().
  void loss_scaling(const LossScalingOptions& options = {});
  void set_loss_scale(double scale) { loss_scaling({.scale = scale}); }
  // The current loss scale; 1 without loss scaling.
  double loss_scale() const;
  // Whether the last step was skipped.
  bool was_skipped() const;
  // Updates float16 and bfloat16 parameters through float32 copies; see
  // UpdateRule::use_fp32_update. setup turns it on if config().dtype is
  // mixed16.
  void use_fp32_update(bool flag = true);

  // Null, the default, for an optimizer without synchronization.
  void set_gradient_exchange(std::shared_ptr<GradientExchange> exchange) {
    exchange_ = std::move(exchange);
  }

  // For hooks: the parameters that this step updates, or their float32 copies,
  // with gradients. Copies are written back to the parameters after all hooks.
  std::vector<Parameter> updated_params() const;
  // For hooks: runs what `add` adds for each of updated_params(), whose
  // gradient it may change; if the hook has kJoinsStep, in one pass over memory
  // with the step.
  using AddChange =
      std::function<void(optimizers::UpdateBatch& batch, const Parameter& param,
                         const Array& grad)>;
  void change_gradients(const AddChange& add);

  // Hook-like operations to call before update(): add rate * w to each
  // gradient; scale all gradients down so that their global Euclidean norm is
  // at most max_norm; compute that norm (0 without gradients), which waits for
  // the device. Throw ValueError when rate or max_norm is out of range.
  void weight_decay(double rate);
  void clip_grads(double max_norm);
  double compute_grads_norm() const;
  // Adds gradients computed elsewhere, on any device, to those of the target's
  // parameters, in the order of params(); undefined ones, and those of frozen
  // parameters, are skipped. Throws ValueError or ShapeError, before adding
  // any, when number or shapes do not match.
  void accumulate_grads(std::span<const Array> grads);
  // Sets gradients to zero, for accumulating several backward passes.
  void zero_grads() { target().zerograds(); }
  // Whether update(lossfun, ...) first clears gradients (the default, which
  // saves adding to zeros) or fills them with zeros, so that parameters that
  // the loss does not depend on have a gradient too.
  void use_cleargrads(bool use = true) { use_cleargrads_ = use; }

  // Gives update rules to parameters added to the target after setup, and
  // creates missing states on their parameters' devices.
  void prepare();

  // The number of updates and epochs so far.
  int64_t t() const { return t_ - skipped(); }
  int64_t epoch() const { return epoch_; }
  void new_epoch() { ++epoch_; }

  // A function called on the whole target before or after each step, such as
  // weight decay; see hooks.h. A hook object defines its name as kName and
  // optionally its timing as kTiming, which defaults to kPre, and kIsCapturable
  // = true if all that it does is work of the device, the same in every step:
  // capture_obstacle() names the others. It also defines kJoinsStep = true if
  // it reads and changes gradients only by weight_decay(), clip_grads() and
  // change_gradients(): the CPU then runs it together with the step. Throw
  // ValueError when the name exists (add) or is unknown (remove).
  using Hook = std::function<void(Optimizer& optimizer)>;
  void add_hook(std::string name, Hook hook,
                HookTiming timing = HookTiming::kPre);
  template <class H>
  requires requires(H hook, Optimizer& optimizer) {
    { H::kName } -> std::convertible_to<std::string_view>;
    hook(optimizer);
  }
  void add_hook(H hook, std::optional<HookTiming> timing = std::nullopt) {
    HookTiming own = HookTiming::kPre;
    if constexpr (requires { HookTiming{H::kTiming}; }) own = H::kTiming;
    constexpr bool kJoins = requires { requires H::kJoinsStep; };
    insert_hook(std::string(H::kName), Hook(std::move(hook)),
                timing.value_or(own), kJoins);
    if constexpr (requires { requires H::kIsCapturable; }) {
      host_hooks_.pop_back();
    }
  }
  void remove_hook(std::string_view name);
  void call_hooks(HookTiming timing = HookTiming::kPre);

  // The value of a hyperparameter: lr, momentum, ... update_rule_of(parameter)
  // can override it. Throw ValueError for an unknown name, listing the existing
  // ones, and for a value out of range.
  double hyperparameter(std::string_view name) const;
  void set_hyperparameter(std::string_view name, double value);
  virtual std::vector<std::string_view> hyperparameter_names() const = 0;
  // The learning rate of the last step, for reports; Adam computes it from
  // other values. Throws ValueError when the algorithm has none.
  virtual double lr() const { return hyperparameter("lr"); }

  // A step can be captured in a graph (captured_work.h), after one that was
  // not: each launch is a step, with the hyperparameters and the t() of its
  // time. A captured step does what it did in the capture as long as the key is
  // the same, which names the arrays that it uses, its hooks, and which
  // parameters are updated; this appends it. Hooks themselves are called once,
  // in the capture. Gradient exchange, and loss scaling where the host decides
  // whether a step is skipped, can't be captured, and throw
  // NotImplementedError.
  void append_capture_key(std::vector<uint64_t>& key) const;
  // Why a captured step would not do all that step after step does: it
  // exchanges gradients, or the host calls hooks other than those with
  // kIsCapturable. Empty if it does.
  std::string capture_obstacle() const;

  // The parameters that it updates, initialized or not, and their paths: those
  // that the target had in setup() or prepare().
  const std::vector<std::pair<std::string, Parameter>>& parameters() const {
    return params_;
  }

  // Serializes counters and update rules. Parameters are saved with the link.
  void serialize(const Serializer& serializer);

 protected:
  Optimizer();
  // Protected to prevent slicing.
  Optimizer(Optimizer&&) noexcept;
  Optimizer& operator=(Optimizer&&) noexcept;

  // A new rule for a parameter, which setup() gives to each.
  virtual std::unique_ptr<UpdateRule> create_update_rule() = 0;
  // The hyperparameter of that name. Throws ValueError listing the existing
  // names.
  virtual double& find_hyperparameter(std::string_view name) = 0;
  // Throws ValueError when a hyperparameter is out of range.
  virtual void check_hyperparameters() const = 0;

 private:
  class JoiningScope;

  void insert_hook(std::string name, Hook hook, HookTiming timing,
                   bool joins_step);
  // Runs what waits for the step, so that gradients are what they are to be.
  void run_joined();
  // The gradients of updated_params(), for in-place changes.
  std::vector<Array> own_gradients(const std::vector<Parameter>& params) const;
  // The parameters that this step updates.
  std::vector<Parameter> trained_params() const;
  // Whether what hooks do to gradients may wait for the step.
  bool can_join_step() const;
  // Whether gradients are used by fused updates alone.
  bool are_rules_fused() const;
  Optimizer& setup_target(Link& link);
  Variable step(const std::function<Variable()>& compute_loss);
  Variable step(const Variable& loss);
  Variable computed(const std::function<Variable()>& compute_loss,
                    bool is_first);
  void clear_gradients();
  // Adds the gradients of the loss times a factor; `is_last` if the step
  // follows.
  void differentiate(const Variable& loss, double factor, bool is_last);
  void check_capture() const;
  bool are_gradients_finite() const;
  // The GPU that can decide whether to skip a step, if there is one.
  std::optional<Device> deciding_device() const;
  // Null if the host decides.
  std::shared_ptr<DeviceLossScaler> decider();
  void decide_on_host();
  int64_t skipped() const;
  // What follows hooks before a step; `joins_step` if the batch has what is
  // still to be done to gradients. `decider` is null if the host decides.
  void finish_step(optimizers::UpdateBatch& batch, bool joins_step,
                   const DeviceLossScaler* decider);
  void update_params(optimizers::UpdateBatch& batch, bool joins_step);
  void serialize_loss_scale(const Serializer& serializer);

  std::shared_ptr<const internal::LinkPlace> target_;  // null before setup
  LossFunction loss_function_;
  std::vector<std::pair<std::string, Parameter>> params_;
  NamedHooks<Hook> hooks_{"Optimizer"};
  std::vector<std::string> host_hooks_;  // those that may need the host
  std::shared_ptr<GradientExchange> exchange_;
  std::optional<LossScaler> scaler_;
  std::shared_ptr<DeviceLossScaler> decider_;  // takes the place of scaler_
  // In a step, until gradients are used: what the CPU does to them then.
  optimizers::UpdateBatch* joined_ = nullptr;
  bool are_widened_only_ = false;    // all that has joined so far
  std::vector<Array> joined_grads_;  // which that has changed, or will
  uint64_t hook_changes_ = 0;
  bool use_cleargrads_ = true;
  bool use_fp32_update_ = false;
  bool was_skipped_ = false;
  int64_t t_ = 0;  // with steps that the decider skipped
  int64_t epoch_ = 0;
};

// An optimizer with that target: `auto optimizer = setup(SGD(), model);`.
// Otherwise like Optimizer::setup.
template <std::derived_from<Optimizer> O, std::derived_from<Link> L>
O setup(O optimizer, L& link) {
  optimizer.setup(link);
  return optimizer;
}
template <std::derived_from<Optimizer> O, std::derived_from<Link> L>
O setup(O optimizer, const L&& link) {
  optimizer.setup(std::move(link));
  return optimizer;
}

// An optimizer with hyperparameters OptionsType and update rule Rule,
// constructed from a shared pointer to them. The options define `check()`,
// which throws ValueError, and the table kHyperparameters.
template <class OptionsType, class Rule>
class GradientMethod : public Optimizer {
 public:
  using Options = OptionsType;

  explicit GradientMethod(const Options& options);

  const Options& options() const { return *options_; }

  std::vector<std::string_view> hyperparameter_names() const override;

 protected:
  std::unique_ptr<UpdateRule> create_update_rule() override;
  double& find_hyperparameter(std::string_view name) override;
  void check_hyperparameters() const override;

 private:
  std::shared_ptr<Options> options_;
};

// Not in the class, where they would be inline: catena's own optimizers declare
// `extern template class GradientMethod<...>`, so that programs do not compile
// them again.
template <class Options, class Rule>
GradientMethod<Options, Rule>::GradientMethod(const Options& options)
    : options_(std::make_shared<Options>(options)) {
  options.check();
}
template <class Options, class Rule>
std::vector<std::string_view>
GradientMethod<Options, Rule>::hyperparameter_names() const {
  return member_names<Options>();
}
template <class Options, class Rule>
std::unique_ptr<UpdateRule>
GradientMethod<Options, Rule>::create_update_rule() {
  return std::unique_ptr<UpdateRule>(new Rule(options_));
}
template <class Options, class Rule>
double& GradientMethod<Options, Rule>::find_hyperparameter(
    std::string_view name) {
  return options_.get()->*member_named<Options>(name);
}
template <class Options, class Rule>
void GradientMethod<Options, Rule>::check_hyperparameters() const {
  options_->check();
}

}  // namespace catena
