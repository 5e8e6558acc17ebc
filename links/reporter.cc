#include "catena/links/reporter.h"

#include <atomic>
#include <mutex>

#include "catena/array/error.h"
#include "catena/autograd/config.h"

namespace catena {
namespace {

std::vector<Reporter*>& reporters() {
  static thread_local std::vector<Reporter*> stack;
  return stack;
}

// The reporter of threads without their own; guarded by the lock.
struct Global {
  std::mutex mutex;
  std::atomic<Reporter*> reporter = nullptr;
};
Global& global() {
  static Global instance;
  return instance;
}

// Drops the graph, so that storing an observation does not keep a whole
// computation alive.
ObservedValue without_graph(const ObservedValue& value) {
  if (value.variable() == nullptr || config().keep_graph_on_report) {
    return value;
  }
  return value.array();
}

}  // namespace

Reporter::Scope::Scope(Reporter& reporter, Observation& observation,
                       Reach reach)
    : reporter_(reporter), reach_(reach) {
  std::unique_lock lock(global().mutex, std::defer_lock);
  if (reach == Reach::kGlobal) {
    lock.lock();
    previous_global_ = global().reporter.exchange(&reporter);
  } else if (reach == Reach::kThread) {
    reporters().push_back(&reporter);
  }
  previous_ = std::exchange(reporter.current_, &observation);
}

Reporter::Scope::~Scope() {
  std::unique_lock lock(global().mutex, std::defer_lock);
  if (reach_ == Reach::kGlobal) {
    lock.lock();
    global().reporter = previous_global_;
  } else if (reach_ == Reach::kThread) {
    reporters().pop_back();
  }
  reporter_.current_ = previous_;
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
        "another one for '",
        values.empty() ? "" : values.begin()->first,
        "'; a trainer or evaluator adds the links of its model, but not copies "
        "of them");
  }
  std::string key = it->second + "/";
  const size_t prefix = key.size();
  for (const auto& [name, value] : values) {
    key.resize(prefix);
    key += name;
    current_->set(key, without_graph(value));
  }
}

Reporter* find_current_reporter() {
  if (!reporters().empty()) return reporters().back();
  return global().reporter;
}

Reporter& get_current_reporter() {
  if (Reporter* reporter = find_current_reporter()) return *reporter;
  raise<ValueError>(
      "get_current_reporter: expected an active reporter scope in this thread "
      "or for all threads, got none");
}

void report(const Observation& values, const Link* observer) {
  report(values, static_cast<const void*>(observer));
}

void report(const Observation& values, const void* observer) {
  if (!reporters().empty()) return reporters().back()->report(values, observer);
  if (global().reporter.load(std::memory_order_relaxed) == nullptr) return;
  const std::lock_guard lock(global().mutex);
  if (Reporter* reporter = global().reporter) {
    reporter->report(values, observer);
  }
}

Reporter::Scope report_scope(Observation& observation) {
  return {get_current_reporter(), observation,
          Reporter::Scope::Reach::kCurrent};
}

}  // namespace catena
