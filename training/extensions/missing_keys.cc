#include "catena/training/extensions/missing_keys.h"

#include <iostream>
#include <utility>

#include "catena/array/core/name_list.h"
#include "catena/training/extensions/terminal.h"

namespace catena::training::extensions {

void MissingKeys::add(const Observation& values) {
  if (missing_.empty()) return;
  for (const auto& [name, value] : values) {
    if (!observed_.contains(name)) observed_.insert(name);
    std::erase(missing_, name);
  }
}

void MissingKeys::warn() {
  if (missing_.empty() || observed_.empty()) return;
  const auto missing = std::exchange(missing_, {});
  const std::vector<std::string> observed(observed_.begin(), observed_.end());
  const Terminal terminal(&std::cerr);
  // Clears a progress bar in this line.
  if (terminal.has_cursor()) terminal.out() << kClearToEnd;
  terminal.out() << "warning: " << operation_
                 << ": nothing so far has reported "
                 << array::list_names(missing, "")
                 << "; observed: " << array::list_names(observed, missing[0])
                 << "\n"
                 << std::flush;
}

}  // namespace catena::training::extensions
