#include "catena/functions/connection/winograd.h"

#include <atomic>
#include <cstdlib>
#include <string_view>

#include "catena/array/core/error.h"

namespace catena::functions {
namespace {

bool from_environment() {
  const char* value = std::getenv("CATENA_WINOGRAD");
  const std::string_view text = value == nullptr ? "" : value;
  if (text.empty() || text == "1") return true;
  if (text == "0") return false;
  raise<ValueError>("CATENA_WINOGRAD: expected 0 or 1, got '", text, "'");
}

std::atomic<bool>& setting() {
  static std::atomic<bool> is_enabled = from_environment();
  return is_enabled;
}

}  // namespace

bool is_winograd_enabled() { return setting().load(std::memory_order_relaxed); }

void set_winograd(bool is_enabled) {
  setting().store(is_enabled, std::memory_order_relaxed);
}

}  // namespace catena::functions
