#include "catena/training/extensions/unchain_variables.h"

#include "catena/training/trainer.h"

namespace catena::training::extensions {

void UnchainVariables::operator()(Trainer& trainer) {
  for (const auto& [name, value] : trainer.observation()) {
    if (const Variable* variable = value.variable()) {
      variable->unchain_backward();
    }
  }
}

}  // namespace catena::training::extensions
