#include "catena/cuda/emulation/counts.h"

#include "catena/cuda/emulation/devices.h"

namespace catena::cuda::emulation {

int64_t created_events() {
  const auto lock = Devices::get().lock();
  return Devices::get().created_events;
}

int64_t staged_copies() {
  const auto lock = Devices::get().lock();
  return Devices::get().staged_copies;
}

}  // namespace catena::cuda::emulation
