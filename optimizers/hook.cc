#include "catena/optimizers/hook.h"

#include "catena/array/core/error.h"
#include "catena/array/core/name_list.h"
#include "catena/array/core/work_record.h"

namespace catena::internal {

void throw_hook_exists(std::string_view owner, std::string_view name) {
  raise<ValueError>(owner, ": a hook named '", name, "' already exists");
}

void throw_no_hook(std::string_view owner, std::string_view name,
                   const std::vector<std::string>& names) {
  array::throw_unknown_name(owner, "a hook", names, name);
}

RecordedHook::RecordedHook(std::string_view name)
    : record_(current_work_record()) {
  if (record_ != nullptr) record_->enter(name, 0);
}

RecordedHook::~RecordedHook() {
  if (record_ != nullptr) record_->leave();
}

}  // namespace catena::internal
