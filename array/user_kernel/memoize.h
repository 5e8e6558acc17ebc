#pragma once

#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <tuple>
#include <type_traits>
#include <utility>

#include "catena/array/device.h"

// Functions that remember their results.
namespace catena::array {

struct MemoizeOptions {
  // Keeps results for each current device apart.
  bool for_each_device = false;
};

// Forgets what all memoized functions of the process remember.
void clear_memo();

namespace internal {

// Registers a way to forget; the registration ends with the handle.
std::shared_ptr<void> on_clear_memo(std::function<void()> forget);

struct BackendIndex {
  Backend backend;
  int index;
  friend auto operator<=>(const BackendIndex&, const BackendIndex&) = default;
};

}  // namespace internal

// The function `f` made to compute the result for each arguments once; copies
// share what is remembered. Arguments are kept by value and compared by <. Safe
// for threads; two that ask for the same at once may both compute it, and get
// the result of the first to finish. What f throws is not remembered.
//
//   const auto plan = memoize([](int n) { return make_plan(n); });
template <class F>
auto memoize(F f, MemoizeOptions options = {}) {
  return [f = std::move(f), options,
          // Made when the types of the arguments are known.
          store = std::make_shared<std::pair<
              std::mutex,
              std::map<const void*, std::pair<std::shared_ptr<void>,
                                              std::shared_ptr<void>>>>>()]<
             class... Args>(const Args&... args)
             -> std::invoke_result_t<const F&, const Args&...> {
    using Result = std::decay_t<std::invoke_result_t<const F&, const Args&...>>;
    using Key = std::tuple<std::optional<internal::BackendIndex>, Args...>;
    struct Memo {
      std::mutex mutex;
      std::map<Key, Result> results;
    };
    static constexpr char kTypes = 0;  // its address stands for Args
    std::shared_ptr<Memo> memo;
    {
      const std::lock_guard lock(store->first);
      auto& [kept, registration] = store->second[&kTypes];
      if (!kept) {
        memo = std::make_shared<Memo>();
        kept = memo;
        registration = internal::on_clear_memo([weak = std::weak_ptr(memo)] {
          if (const std::shared_ptr<Memo> alive = weak.lock()) {
            std::map<Key, Result> old;  // ends without the lock
            const std::lock_guard inner(alive->mutex);
            old.swap(alive->results);
          }
        });
      } else {
        memo = std::static_pointer_cast<Memo>(kept);
      }
    }
    std::optional<internal::BackendIndex> device;
    if (options.for_each_device) {
      const Device current = current_device();
      device = {current.backend(), current.index()};
    }
    Key key(device, args...);
    {
      const std::lock_guard lock(memo->mutex);
      const auto found = memo->results.find(key);
      if (found != memo->results.end()) return found->second;
    }
    Result result = f(args...);
    const std::lock_guard lock(memo->mutex);
    return memo->results.try_emplace(std::move(key), std::move(result))
        .first->second;
  };
}

}  // namespace catena::array
