#include "catena/optimizers/hyperparameter.h"

#include <string>

#include "catena/array/core/name_list.h"

namespace catena::internal {

void throw_no_hyperparameter(std::string_view name,
                             const std::vector<std::string_view>& names) {
  const std::vector<std::string> known(names.begin(), names.end());
  array::throw_unknown_name("Optimizer", "a hyperparameter", known, name);
}

}  // namespace catena::internal
