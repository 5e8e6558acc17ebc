#pragma once

#include <algorithm>
#include <span>
#include <string_view>

#include "catena/array/error.h"

namespace catena {

// The hooks of one kind in force in a thread, in the order of their addition.
// To be constinit thread_local: a plain array, so that asking whether there are
// hooks is one load.
template <class Hook>
class HookStack {
 public:
  std::span<Hook* const> hooks() const {
    return {hooks_, static_cast<size_t>(count_)};
  }

  // ValueError in the name of `who` when a hook of that name is there, or too
  // many are.
  void add(Hook& hook, std::string_view who) {
    for (const Hook* other : hooks()) {
      if (other->name() == hook.name()) {
        raise<ValueError>(who, ": a hook named '", hook.name(),
                          "' is in force already");
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
