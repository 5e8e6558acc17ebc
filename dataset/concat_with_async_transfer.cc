#include "catena/dataset/concat_with_async_transfer.h"

#include <map>
#include <mutex>
#include <string>
#include <utility>

#include "catena/array/host_transfer.h"
#include "catena/dataset/copy_fields.h"

namespace catena::dataset {
namespace {

Array pinned(const HostTransferBackend& backend, const Array& x) {
  const Array source = x.contiguous();
  if (backend.is_pinned(source)) return source;
  Array result = backend.empty_pinned(source.shape(), source.dtype());
  result.assign(source);
  return result;
}

}  // namespace

struct ConcatWithAsyncTransfer::Transfers {
  std::mutex mutex;
  std::map<std::string, std::unique_ptr<HostTransfer>> by_device;

  HostTransfer& to(const HostTransferBackend& backend, Device device) {
    std::unique_ptr<HostTransfer>& transfer = by_device[device.name()];
    if (transfer == nullptr) transfer = backend.open(device);
    return *transfer;
  }
};

ConcatWithAsyncTransfer::ConcatWithAsyncTransfer(
    const ConcatWithAsyncTransferOptions& options)
    : options_(options), transfers_(std::make_shared<Transfers>()) {}

Example ConcatWithAsyncTransfer::operator()(
    const Batch& batch, const std::optional<Device>& device) const {
  const HostTransferBackend* backend =
      device ? host_transfer_backend(device->backend()) : nullptr;
  if (backend == nullptr) {
    return concat_examples(batch, {.device = device,
                                   .padding = options_.padding,
                                   .lists = options_.lists});
  }
  const Example host = concat_examples(
      batch, {.padding = options_.padding, .lists = options_.lists});
  const std::lock_guard lock(transfers_->mutex);
  HostTransfer& transfer = transfers_->to(*backend, *device);
  return copy_fields(host, *device, [&](const Array& x) {
    return x.device() == native_device()
               ? transfer.to_device(pinned(*backend, x))
               : x.to_device(*device);
  });
}

}  // namespace catena::dataset
