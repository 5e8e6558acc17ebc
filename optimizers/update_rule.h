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
  void ensure_state(const Parameter& parameter);

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
