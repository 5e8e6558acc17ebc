#include "catena/optimizers/hook.h"

#include "catena/array/error.h"

namespace catena::internal {

void throw_hook_exists(std::string_view owner, std::string_view name) {
  raise<ValueError>(owner, ": a hook named '", name, "' already exists");
}

void throw_no_hook(std::string_view owner, std::string_view name) {
  raise<ValueError>(owner, ": there is no hook named '", name, "'");
}

}  // namespace catena::internal
