#include "catena/dataset/pinned_arrays.h"

#include <memory>
#include <utility>

#include "catena/array/core/backend.h"
#include "catena/array/core/borrowed_storage.h"
#include "catena/array/core/shape.h"
#include "catena/array/core/storage.h"

namespace catena::dataset {

bool uses_pinned_memory(Backend backend) {
  const BackendTable* table = backend_table(backend);
  return table != nullptr && table->open_transfer != nullptr &&
         table->device_count() > 0;
}

Array empty_pinned(const Shape& shape, Dtype dtype, Backend backend) {
  const int64_t bytes =
      checked_size(shape, item_size(dtype), "empty_pinned") * item_size(dtype);
  std::shared_ptr<void> memory = backend_table(backend)->allocate_pinned(bytes);
  void* data = memory.get();
  return Array(
      BorrowedStorage::make(native_device(), data, bytes, std::move(memory)),
      dtype, shape);
}

Array in_pinned_memory(const Array& x, Backend backend) {
  Array source = x.contiguous();
  if (backend_table(backend)->is_pinned(source.raw_data())) return source;
  Array result = empty_pinned(source.shape(), source.dtype(), backend);
  result.assign(source);
  return result;
}

Array to_device(HostTransfer& queue, const Array& x) {
  Ref<Storage> copy = queue.to_device(x.raw_data(), x.nbytes(), x.storage());
  return Array(std::move(copy), x.dtype(), x.shape());
}

}  // namespace catena::dataset
