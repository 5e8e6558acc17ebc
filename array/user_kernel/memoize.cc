#include "catena/array/user_kernel/memoize.h"

#include <list>

namespace catena::array {
namespace {

struct Registry {
  std::mutex mutex;
  std::list<std::function<void()>> forgets;
};

Registry& registry() {
  static Registry& only = *new Registry;  // memoized statics outlive a static
  return only;
}

}  // namespace

void clear_memo() {
  // Called without the lock: destroyed results may hold memoized functions.
  std::list<std::function<void()>> forgets;
  {
    const std::lock_guard lock(registry().mutex);
    forgets = registry().forgets;
  }
  for (const auto& forget : forgets) forget();
}

namespace internal {

std::shared_ptr<void> on_clear_memo(std::function<void()> forget) {
  const std::lock_guard lock(registry().mutex);
  std::list<std::function<void()>>& forgets = registry().forgets;
  const auto place = forgets.insert(forgets.end(), std::move(forget));
  return std::shared_ptr<void>(nullptr, [place](void*) {
    const std::lock_guard inner(registry().mutex);
    registry().forgets.erase(place);
  });
}

}  // namespace internal
}  // namespace catena::array
