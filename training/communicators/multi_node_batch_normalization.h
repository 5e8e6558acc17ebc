#pragma once

#include <cstdint>
#include <optional>
#include <utility>

#include "catena/links/call_link.h"
#include "catena/links/normalization/batch_normalization.h"
#include "catena/training/communicators/communicator.h"

namespace catena::training::communicators {

// links::BatchNormalization over the minibatches of all ranks, see functions.h:
// for minibatches that are too small on each rank. Same in test mode, and
// snapshots are interchangeable.
class MultiNodeBatchNormalization : public links::BatchNormalization {
 public:
  // The communicator must outlive the link and its copies. Other arguments and
  // errors are those of links::BatchNormalization.
  MultiNodeBatchNormalization(
      std::optional<Shape> size, Communicator& communicator,
      const links::BatchNormalizationOptions& options = {})
      : BatchNormalization(std::move(size), options),
        communicator_(&communicator) {}
  MultiNodeBatchNormalization(
      int64_t size, Communicator& communicator,
      const links::BatchNormalizationOptions& options = {})
      : MultiNodeBatchNormalization(Shape{size}, communicator, options) {}

  Variable forward(const Variable& x,
                   const links::BatchNormalizationCallOptions& options = {});
  Variable operator()(
      const Variable& x,
      const links::BatchNormalizationCallOptions& options = {}) {
    return call_link(*this, x, options);
  }

 private:
  Communicator* communicator_;
};

}  // namespace catena::training::communicators
