#include "catena/optimizers/hyperparameter.h"

#include <string>

#include "catena/array/error.h"

namespace catena::internal {

void throw_no_hyperparameter(std::string_view name,
                             const std::vector<std::string_view>& names) {
  std::string known;
  for (const std::string_view other : names) {
    known += (known.empty() ? "" : ", ") + std::string(other);
  }
  raise<ValueError>("Optimizer: there is no hyperparameter '", name,
                    "'; available: ", known.empty() ? "none" : known);
}

}  // namespace catena::internal
