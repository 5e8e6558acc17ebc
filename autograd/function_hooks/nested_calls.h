#pragma once

#include <optional>
#include <utility>
#include <vector>

namespace catena::function_hooks {

// What a hook notes of calls that have begun and not ended; calls nest.
template <class State>
class NestedCalls {
 public:
  // `what` is any address that stands for the call.
  void begin(const void* what, State state) {
    calls_.emplace_back(what, std::move(state));
  }

  // The state of the call that ends; none when it began before the hook came
  // into force. Calls within it that have not ended did so by an exception.
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
