#include "catena/autograd/experimental.h"

#include <atomic>
#include <string>

#include "catena/array/core/warn_once.h"

namespace catena {
namespace {

std::atomic<bool> is_disabled = false;

}  // namespace

void experimental(std::string_view api_name) {
  if (is_disabled) return;
  const std::string name(api_name);
  warn_once("experimental " + name, [&] {
    return name + " is experimental: its interface may change";
  });
}

void disable_experimental_warning(bool disable) { is_disabled = disable; }

}  // namespace catena
