#include "catena/links/reporter.h"

#include <algorithm>
#include <atomic>
#include <mutex>

#include "catena/array/core/error.h"
#include "catena/array/core/name_list.h"
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

// Adds a link that contains added ones as "main", if the name is free.
void Reporter::add_model(const Link& observer) {
  for (const auto& [unused, name] : names_) {
    if (name == "main") return;
  }
  const auto is_added = [this](const Link* link) {
    return names_.contains(link);
  };
  // Traversal does not change the link.
  auto inner = const_cast<Link&>(observer).namedlinks(/*skipself=*/true);
  if (std::ranges::none_of(inner, is_added,
                           &std::pair<std::string, Link*>::second)) {
    return;
  }
  add_observer("main", observer);
  std::erase_if(inner, [&](const auto& link) { return is_added(link.second); });
  add_observers("main", inner);
}

void Reporter::report(const Observation& values, const Link* observer) {
  if (observer != nullptr && !names_.contains(observer)) add_model(*observer);
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
    std::vector<std::string> names;
    for (const auto& [unused, name] : names_) names.push_back(name);
    std::ranges::sort(names);
    raise<ValueError>(
        "report: expected an observer that was added to the reporter (",
        array::list_names(names, ""), "), got another one for '",
        values.empty() ? "" : values.begin()->first,
        "'; a trainer or evaluator adds the links of its optimizers' targets, "
        "but neither copies of them nor a model that contains them: for that, "
        "trainer.reporter().add_observer(\"main\", model)");
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

namespace {

template <class Observer>
void report_to_current(const Observation& values, const Observer* observer) {
  if (!reporters().empty()) return reporters().back()->report(values, observer);
  if (global().reporter.load(std::memory_order_relaxed) == nullptr) return;
  const std::lock_guard lock(global().mutex);
  if (Reporter* reporter = global().reporter) {
    reporter->report(values, observer);
  }
}

}  // namespace

void report(const Observation& values, const Link* observer) {
  report_to_current(values, observer);
}
void report(const Observation& values, const void* observer) {
  report_to_current(values, observer);
}

Reporter::Scope report_scope(Observation& observation) {
  return {get_current_reporter(), observation,
          Reporter::Scope::Reach::kCurrent};
}

}  // namespace catena
