#include "catena/training/communicators/nccl_factory.h"

namespace catena::training::communicators::internal {

NcclFactory*& nccl_factory() {
  static NcclFactory* factory = nullptr;
  return factory;
}

}  // namespace catena::training::communicators::internal
