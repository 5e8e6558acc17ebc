#pragma once

#include <algorithm>
#include <span>
#include <string_view>

#include "catena/array/error.h"

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

  // Throws ValueError, naming `who`, when a hook of that name is active or
  // there are too many.
  void add(Hook& hook, std::string_view who) {
    for (const Hook* other : hooks()) {
      if (other->name() == hook.name()) {
        raise<ValueError>(who, ": a hook named '", hook.name(),
                          "' is already active");
      }
    }
    if (count_ == kMaxHooks) {
      raise<ValueError>(who, ": expected at most ", kMaxHooks,
                        " hooks at a time");
    }
    hook.added(nullptr);
    hooks_[count_++] = &hook;
  }

  void remove(Hook& hook) {
    hook.deleted(nullptr);
    count_ =
        static_cast<int>(std::remove(hooks_, hooks_ + count_, &hook) - hooks_);
  }

 private:
  static constexpr int kMaxHooks = 16;
  Hook* hooks_[kMaxHooks] = {};
  int count_ = 0;
};

}  // namespace catena
