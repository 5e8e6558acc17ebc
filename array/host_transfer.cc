#include "catena/array/host_transfer.h"

namespace catena {
namespace {

constinit const HostTransferBackend* backends[kBackendCount] = {};

}  // namespace

const HostTransferBackend* host_transfer_backend(Backend backend) {
  const HostTransferBackend* table = backends[static_cast<int>(backend)];
  if (table == nullptr) return nullptr;
  const MemoryBackend* memory = memory_backend(backend);
  return memory != nullptr && memory->device_count() > 0 ? table : nullptr;
}

void set_host_transfer_backend(Backend backend,
                               const HostTransferBackend* table) {
  backends[static_cast<int>(backend)] = table;
}

}  // namespace catena
