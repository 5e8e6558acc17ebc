#pragma once

#include <optional>
#include <utility>
#include <vector>

namespace catena::function_hooks {

// The state a hook keeps for calls in progress, which may be nested.
template <class State>
class NestedCalls {
 public:
  // `what` is any address that identifies the call.
  void begin(const void* what, State state) {
    calls_.emplace_back(what, std::move(state));
  }

  // Returns the state of the call that ends; none when it began before the hook
  // was added. Drops nested calls that exceptions left open.
  std::optional<State> end(const void* what) {
    while (!calls_.empty() && calls_.back().first != what) calls_.pop_back();
    if (calls_.empty()) return std::nullopt;
    State state = std::move(calls_.back().second);
    calls_.pop_back();
    return state;
  }

 private:
  std::vector<std::pair<const void*, State>> calls_;
};

}  // namespace catena::function_hooks
