#pragma once

#include <memory>
#include <optional>

#include "catena/dataset/convert.h"

namespace catena::dataset {

struct ConcatWithAsyncTransferOptions {
  std::optional<Padding> padding = std::nullopt;
};

// A converter that does what concat_examples does, but whose copies to a GPU
// run beside what the GPU computes: while it is busy with a minibatch, the next
// one arrives. On the host they lie in page-locked memory; those of a
// MultithreadIterator do already.
//
//   StandardUpdater updater(iterator, optimizer,
//                           {.converter = ConcatWithAsyncTransfer(),
//                            .device = cuda_device()});
//
// Arrays of the batch that are copied must not be changed afterwards. For other
// devices, and where CUDA is not linked, it is concat_examples. Copies of the
// converter share its streams, one for each device; several threads may call
// it.
class ConcatWithAsyncTransfer {
 public:
  explicit ConcatWithAsyncTransfer(
      const ConcatWithAsyncTransferOptions& options = {});

  // The errors of concat_examples.
  Example operator()(const Batch& batch,
                     const std::optional<Device>& device) const;

 private:
  struct Transfers;

  std::optional<Padding> padding_;
  std::shared_ptr<Transfers> transfers_;
};

}  // namespace catena::dataset
