#include "catena/training/updater.h"

#include "catena/training/named.h"

namespace catena::training {

Optimizer& Updater::get_optimizer(std::string_view name) const {
  return find_named(get_all_optimizers(), name, "get_optimizer", "optimizer");
}

Optimizer& Updater::main_optimizer() const {
  return find_main(get_all_optimizers(), "main_optimizer", "optimizer");
}

std::vector<Device> Updater::devices() const {
  std::vector<Device> devices = {native_device()};
  for (const auto& [name, optimizer] : get_all_optimizers()) {
    for (const Parameter& param : optimizer->target().params(false)) {
      if (param.device() != devices.back()) devices.push_back(param.device());
    }
  }
  return devices;
}

}  // namespace catena::training
