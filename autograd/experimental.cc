#include "catena/autograd/experimental.h"

#include <atomic>
#include <iostream>
#include <mutex>
#include <set>
#include <string>

namespace catena {
namespace {

std::atomic<bool> is_disabled = false;

// Whether this is the first use of the name.
bool is_new(std::string_view name) {
  static std::mutex mutex;
  static std::set<std::string, std::less<>> names;
  const std::lock_guard lock(mutex);
  return names.emplace(name).second;
}

}  // namespace

void experimental(std::string_view api_name) {
  if (is_disabled || !is_new(api_name)) return;
  std::cerr << "warning: " << api_name
            << " is experimental: its interface may change\n";
}

void disable_experimental_warning(bool disable) { is_disabled = disable; }

}  // namespace catena
