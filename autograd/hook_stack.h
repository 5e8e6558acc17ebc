#pragma once

#include <algorithm>
#include <span>
#include <string_view>

#include "catena/array/core/error.h"

namespace catena {

// A thread's active hooks of one kind, in the order they were added. A plain
// array, to be declared constinit thread_local, so that testing for hooks is a
// single load.
template <class Hook>
class HookStack {
 public:
  std::span<Hook* const> hooks() const {
    return {hooks_, static_cast<size_t>(count_)};
  }

  // The name must outlive the hook's stay. Throws ValueError, naming `who`,
  // when a hook of that name is active or there are too many.
  void add(Hook& hook, std::string_view name, std::string_view who) {
    if (std::find(names_, names_ + count_, name) != names_ + count_) {
      raise<ValueError>(who, ": a hook named '", name, "' is already active");
    }
    if (count_ == kMaxHooks) {
      raise<ValueError>(who, ": expected at most ", kMaxHooks,
                        " hooks at a time");
    }
    hook.added(nullptr);
    names_[count_] = name;
    hooks_[count_++] = &hook;
  }

  void remove(Hook& hook, std::string_view name) {
    hook.deleted(nullptr);
    const auto at = std::find(names_, names_ + count_, name) - names_;
    std::move(names_ + at + 1, names_ + count_, names_ + at);
    std::move(hooks_ + at + 1, hooks_ + count_, hooks_ + at);
    --count_;
  }

 private:
  static constexpr int kMaxHooks = 16;
  Hook* hooks_[kMaxHooks] = {};
  std::string_view names_[kMaxHooks] = {};
  int count_ = 0;
};

}  // namespace catena
