#include "catena/optimizers/optimizer.h"

#include <algorithm>

#include "catena/array/error.h"

namespace catena {

namespace internal {

void throw_argument_count(size_t count) {
  raise<ValueError>("Optimizer: the target cannot be called with ", count,
                    " variables; pass a loss function of your own");
}

}  // namespace internal

Optimizer& Optimizer::setup_target(Link& link) {
  target_ = &link;
  t_ = 0;
  epoch_ = 0;
  params_ = link.namedparams();
  for (const auto& [path, param] : params_) {
    param.set_update_rule(create_update_rule());
  }
  return *this;
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
  call_hooks();
  ++t_;
  for (const auto& [path, param] : params_) param.update();
}

Variable Optimizer::step(const Variable& loss) {
  // The graph is released only after the step, when the buffers of gradients
  // are in use no more.
  target().cleargrads();
  loss.backward();
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

void Optimizer::serialize(const Serializer& serializer) {
  target();
  serializer("t", t_);
  serializer("epoch", epoch_);
  for (const auto& [path, param] : params_) {
    auto* rule = dynamic_cast<UpdateRule*>(param.update_rule().get());
    if (rule != nullptr) rule->serialize(serializer[path], param);
  }
}

}  // namespace catena
