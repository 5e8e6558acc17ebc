#include "catena/optimizers/update_rule.h"

#include <algorithm>

#include "catena/array/creation.h"
#include "catena/array/error.h"

namespace catena {
namespace {

Array read_state(const Serializer& serializer, std::string_view name,
                 const Parameter& parameter) {
  const Array* entry = std::get_if<Array>(serializer.read(name));
  if (entry == nullptr) serializer.fail(name, "an array", "something else");
  if (!parameter.is_initialized()) return *entry;
  if (entry->shape() != parameter.shape()) {
    serializer.fail(name, str("shape ", parameter.shape()),
                    to_string(entry->shape()));
  }
  return entry->astype(parameter.dtype()).to_device(parameter.device());
}

}  // namespace

void UpdateRule::init_state(const Parameter& parameter) {
  for (const std::string_view name : state_names()) {
    state_array(name) = array::zeros_like(parameter.data());
  }
}

void UpdateRule::ensure_state(const Parameter& parameter) {
  if (state_.empty()) init_state(parameter);
  for (auto& [name, array] : state_) {
    if (array.device() != parameter.device()) {
      array = array.to_device(parameter.device());
    }
  }
}

void UpdateRule::update(const Parameter& parameter) {
  if (!enabled() || !parameter.is_initialized()) return;
  if (!parameter.grad().defined()) return;
  ensure_state(parameter);
  for (const auto& [name, hook] : hooks_) hook(*this, parameter);
  ++t_;
  update_core(parameter);
  parameter.bump_version();
}

void UpdateRule::add_hook(std::string name, Hook hook) {
  for (const auto& [other, unused] : hooks_) {
    if (other == name) {
      raise<ValueError>("UpdateRule: there is a hook named '", name,
                        "' already");
    }
  }
  hooks_.emplace_back(std::move(name), std::move(hook));
}

void UpdateRule::remove_hook(const std::string& name) {
  const auto it =
      std::ranges::find(hooks_, name, &std::pair<std::string, Hook>::first);
  if (it == hooks_.end()) {
    raise<ValueError>("UpdateRule: there is no hook named '", name, "'");
  }
  hooks_.erase(it);
}

void UpdateRule::serialize(const Serializer& serializer,
                           const Parameter& parameter) {
  serializer("t", t_);
  for (const std::string_view name : state_names()) {
    if (serializer.is_writer()) {
      // Nothing before the first step.
      if (const auto it = state_.find(std::string(name)); it != state_.end()) {
        serializer(name, it->second);
      }
      continue;
    }
    // A file from before the first step has no state.
    if (!serializer.contains(name)) continue;
    Array loaded = read_state(serializer, name, parameter);
    serializer.on_commit([this, name, loaded] { state_array(name) = loaded; });
  }
}

}  // namespace catena
