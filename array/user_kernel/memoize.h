#pragma once

#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <tuple>
#include <type_traits>
#include <utility>

#include "catena/array/core/device.h"
#include "catena/array/core/named_fields_only.h"

// Memoized functions.
namespace catena::array {

struct MemoizeOptions {
  NamedFieldsOnly keywords = {};
  // Keep separate results for each current device.
  bool for_each_device = false;
};

// Clears the results of all memoized functions of the process.
void clear_memo();

namespace internal {

// Registers a function for clear_memo; destroying the handle unregisters it.
std::shared_ptr<void> on_clear_memo(std::function<void()> forget);

struct BackendIndex {
  Backend backend;
  int index;
  friend auto operator<=>(const BackendIndex&, const BackendIndex&) = default;
};

}  // namespace internal

// Wraps `f` to compute the result for each list of arguments once; copies share
// the results. Arguments are stored by value and compared by <. Thread-safe:
// two threads with the same arguments may both compute the result, and both get
// that of the first to finish. Exceptions are not memoized.
//
//   const auto plan = memoize([](int n) { return make_plan(n); });
template <class F>
auto memoize(F f, MemoizeOptions options = {}) {
  return [f = std::move(f), options,
          // Created when the types of the arguments are known.
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
    static constexpr char kTypes = 0;  // its address identifies Args
    std::shared_ptr<Memo> memo;
    {
      const std::lock_guard lock(store->first);
      auto& [kept, registration] = store->second[&kTypes];
      if (!kept) {
        memo = std::make_shared<Memo>();
        kept = memo;
        registration = internal::on_clear_memo([weak = std::weak_ptr(memo)] {
          if (const std::shared_ptr<Memo> alive = weak.lock()) {
            std::map<Key, Result> old;  // destroyed after the lock is released
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
