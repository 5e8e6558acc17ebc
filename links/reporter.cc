#include "catena/links/reporter.h"

#include "catena/array/error.h"
#include "catena/autograd/config.h"

namespace catena {
namespace {

std::vector<Reporter*>& reporters() {
  static thread_local std::vector<Reporter*> stack;
  return stack;
}

// The same array without its graph, so that an observation that is kept does
// not keep a whole computation.
ObservedValue without_graph(const ObservedValue& value) {
  if (value.variable() == nullptr || config().keep_graph_on_report) {
    return value;
  }
  return value.array();
}

}  // namespace

Reporter::Scope::Scope(Reporter& reporter, Observation& observation, bool push)
    : reporter_(reporter), previous_(reporter.current_), pushed_(push) {
  if (push) reporters().push_back(&reporter);
  reporter.current_ = &observation;
}

Reporter::Scope::~Scope() {
  reporter_.current_ = previous_;
  if (pushed_) reporters().pop_back();
}

void Reporter::add_observer(std::string name, const Link& observer) {
  names_[&observer] = std::move(name);
}

void Reporter::add_observer(std::string name, const void* observer) {
  names_[observer] = std::move(name);
}

void Reporter::add_observers(
    std::string_view prefix,
    const std::vector<std::pair<std::string, Link*>>& observers) {
  for (const auto& [name, link] : observers) {
    add_observer(std::string(prefix) + name, *link);
  }
}

void Reporter::report(const Observation& values, const Link* observer) {
  report(values, static_cast<const void*>(observer));
}

void Reporter::report(const Observation& values, const void* observer) {
  if (observer == nullptr) {
    for (const auto& [name, value] : values) {
      current_->set(name, without_graph(value));
    }
    return;
  }
  const auto it = names_.find(observer);
  if (it == names_.end()) {
    raise<ValueError>(
        "report: expected an observer that was added to the reporter, got "
        "another for '",
        values.empty() ? "" : values.begin()->first,
        "'; the links of a trainer's or evaluator's model are added, copies "
        "of them are not");
  }
  std::string key = it->second + "/";
  const size_t prefix = key.size();
  for (const auto& [name, value] : values) {
    key.resize(prefix);
    key += name;
    current_->set(key, without_graph(value));
  }
}

Reporter& get_current_reporter() {
  if (reporters().empty()) {
    raise<ValueError>(
        "get_current_reporter: expected a scope of a reporter in this thread, "
        "got none");
  }
  return *reporters().back();
}

void report(const Observation& values, const Link* observer) {
  report(values, static_cast<const void*>(observer));
}

void report(const Observation& values, const void* observer) {
  if (!reporters().empty()) reporters().back()->report(values, observer);
}

Reporter::Scope report_scope(Observation& observation) {
  return {get_current_reporter(), observation, false};
}

}  // namespace catena
