#include "catena/array/core/warn_once.h"

#include <iostream>
#include <mutex>
#include <set>

namespace catena {
namespace {

bool is_new(std::string_view key) {
  static std::mutex mutex;
  static auto& keys = *new std::set<std::string, std::less<>>;
  const std::lock_guard lock(mutex);
  if (keys.contains(key)) return false;
  keys.emplace(key);
  return true;
}

}  // namespace

void warn_once(std::string_view key, const std::function<std::string()>& text) {
  if (is_new(key)) std::cerr << "warning: " + text() + "\n" << std::flush;
}

}  // namespace catena
