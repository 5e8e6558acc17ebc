#include "catena/dataset/concat_with_async_transfer.h"

#include <map>
#include <mutex>
#include <string>
#include <utility>

#include "catena/array/core/backend.h"
#include "catena/array/core/host_transfer.h"
#include "catena/dataset/copy_fields.h"
#include "catena/dataset/pinned_arrays.h"

namespace catena::dataset {

struct ConcatWithAsyncTransfer::Transfers {
  std::mutex mutex;
  std::map<std::string, std::unique_ptr<HostTransfer>> by_device;

  HostTransfer& to(Device device) {
    std::unique_ptr<HostTransfer>& transfer = by_device[device.name()];
    if (transfer == nullptr) {
      transfer = backend_table(device.backend())->open_transfer(device);
    }
    return *transfer;
  }
};

ConcatWithAsyncTransfer::ConcatWithAsyncTransfer(
    const ConcatWithAsyncTransferOptions& options)
    : options_(options), transfers_(std::make_shared<Transfers>()) {}

Example ConcatWithAsyncTransfer::operator()(
    const Batch& batch, const std::optional<Device>& device) const {
  if (!device || !uses_pinned_memory(device->backend())) {
    return concat_examples(batch, {.device = device,
                                   .padding = options_.padding,
                                   .lists = options_.lists});
  }
  const Example host = concat_examples(
      batch, {.padding = options_.padding, .lists = options_.lists});
  const std::lock_guard lock(transfers_->mutex);
  HostTransfer& transfer = transfers_->to(*device);
  return copy_fields(host, *device, [&](const Array& x) {
    return x.device() == native_device()
               ? to_device(transfer, in_pinned_memory(x, device->backend()))
               : x.to_device(*device);
  });
}

}  // namespace catena::dataset
