#pragma once

#include <mutex>
#include <utility>

namespace catena::cuda {

// A function that can be replaced while other threads call it.
template <class Function>
class Replaceable {
 public:
  void set(Function function) {
    const std::lock_guard lock(mutex_);
    function_ = std::move(function);
  }
  Function get() const {
    const std::lock_guard lock(mutex_);
    return function_;
  }

 private:
  mutable std::mutex mutex_;
  Function function_;
};

}  // namespace catena::cuda
