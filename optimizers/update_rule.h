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
#include "catena/serializers/serializer.h"

namespace catena {

// How one parameter is updated: a step counter, named state arrays (momentum
// and the like) and hooks. An algorithm derives from UpdateRuleOf below.
class UpdateRule : public UpdateRuleBase {
 public:
  // Runs the hooks and one step. A parameter without data or gradient stays as
  // it is.
  void update(const Parameter& parameter) override;

  // Called before each step with the parameter, in the order of addition.
  // ValueError on a name that is taken, respectively unknown.
  using Hook = std::function<void(UpdateRule& rule, const Parameter&)>;
  void add_hook(std::string name, Hook hook);
  void remove_hook(const std::string& name);

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
  // One step of the algorithm. The gradient is defined.
  virtual void update_core(const Parameter& parameter) = 0;

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
  std::vector<std::pair<std::string, Hook>> hooks_;
};

// The update rule of an algorithm with these options. Options are the
// optimizer's, read anew at each step, unless this parameter has its own.
template <class Options>
class UpdateRuleOf : public UpdateRule {
 public:
  explicit UpdateRuleOf(std::shared_ptr<const Options> shared)
      : shared_(std::move(shared)) {}

  const Options& hyper() const { return own_ ? *own_ : *shared_; }
  // Gives this parameter options of its own.
  void set_hyper(const Options& options) { own_ = options; }

 private:
  std::shared_ptr<const Options> shared_;
  std::optional<Options> own_;
};

}  // namespace catena
