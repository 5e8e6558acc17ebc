#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "catena/dataset/convert.h"

namespace catena::dataset {

// As in ConcatExamplesOptions.
struct ConcatWithAsyncTransferOptions {
  NamedFieldsOnly keywords = {};
  std::optional<Padding> padding = std::nullopt;
  std::vector<FieldKey> lists = {};
};

// Like concat_examples, but copies to a GPU overlap computation: while the GPU
// computes with one minibatch, the next is copied. Minibatches are staged in
// page-locked memory; those of a MultithreadIterator already are.
//
//   StandardUpdater updater(iterator, optimizer,
//                           {.converter = ConcatWithAsyncTransfer(),
//                            .device = cuda_device()});
//
// The arrays of a batch must not be changed afterwards. For other devices, or
// without CUDA, this is concat_examples. Copies of the converter share its
// streams, one for each device. Thread-safe.
class ConcatWithAsyncTransfer {
 public:
  explicit ConcatWithAsyncTransfer(
      const ConcatWithAsyncTransferOptions& options = {});

  // Throws the errors of concat_examples.
  Example operator()(const Batch& batch,
                     const std::optional<Device>& device) const;

 private:
  struct Transfers;

  ConcatWithAsyncTransferOptions options_;
  std::shared_ptr<Transfers> transfers_;
};

}  // namespace catena::dataset
