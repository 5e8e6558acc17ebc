#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace catena {

class WorkRecord;

// When a hook runs: after the gradients are computed and before the step, or
// after the step.
enum class HookTiming { kPre, kPost };

namespace internal {
[[noreturn]] void throw_hook_exists(std::string_view owner,
                                    std::string_view name);
[[noreturn]] void throw_no_hook(std::string_view owner, std::string_view name,
                                const std::vector<std::string>& names);

// Work of a scope is recorded as that of a hook (array/core/work_record.h).
class RecordedHook {
 public:
  explicit RecordedHook(std::string_view name);
  ~RecordedHook();
  RecordedHook(const RecordedHook&) = delete;
  RecordedHook& operator=(const RecordedHook&) = delete;

 private:
  WorkRecord* record_;
};
}  // namespace internal

// Named functions, which run in the order they were added.
template <class Function>
class NamedHooks {
 public:
  // `owner` names the hooks' owner in error messages.
  explicit NamedHooks(std::string_view owner) : owner_(owner) {}

  // Throw ValueError when the name exists (add) or is unknown (remove).
  void add(std::string name, Function function, HookTiming timing) {
    if (find(name) != hooks_.end()) internal::throw_hook_exists(owner_, name);
    hooks_.push_back({std::move(name), std::move(function), timing});
  }
  void remove(std::string_view name) {
    const auto it = find(name);
    if (it == hooks_.end()) {
      std::vector<std::string> names;
      for (const Hook& hook : hooks_) names.push_back(hook.name);
      internal::throw_no_hook(owner_, name, names);
    }
    hooks_.erase(it);
  }

  // Whether there is a hook that runs then.
  bool has(HookTiming timing) const {
    for (const Hook& hook : hooks_) {
      if (hook.timing == timing) return true;
    }
    return false;
  }
  // Calls the hooks that run then, in the order in which they were added.
  template <class... Args>
  void call(HookTiming timing, Args&&... args) const {
    for (const Hook& hook : hooks_) {
      if (hook.timing != timing) continue;
      const internal::RecordedHook recorded(hook.name);
      hook.function(args...);
    }
  }

 private:
  struct Hook {
    std::string name;
    Function function;
    HookTiming timing;
  };

  auto find(std::string_view name) {
    auto it = hooks_.begin();
    while (it != hooks_.end() && it->name != name) ++it;
    return it;
  }

  std::string_view owner_;
  std::vector<Hook> hooks_;
};

}  // namespace catena
