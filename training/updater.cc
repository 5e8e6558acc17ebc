#include "catena/training/updater.h"

#include "catena/training/named.h"

namespace catena::training {

Optimizer& Updater::get_optimizer(std::string_view name) const {
  return find_named(get_all_optimizers(), name, "get_optimizer", "optimizer");
}

}  // namespace catena::training
