#include "catena/array/core/warn_once.h"

#include <cstdio>
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
  // Not by std::cerr, which may not exist yet before main.
  if (is_new(key)) std::fputs(("warning: " + text() + "\n").c_str(), stderr);
}

}  // namespace catena
