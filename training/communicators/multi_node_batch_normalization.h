#pragma once

#include <cstdint>
#include <optional>
#include <utility>

#include "catena/links/call_link.h"
#include "catena/links/normalization/batch_normalization.h"
#include "catena/training/communicators/communicator.h"

namespace catena::training::communicators {

// links::BatchNormalization that normalizes by the minibatches of all ranks
// together, see functions.h: for minibatches that are too small each for
// themselves. In test mode it is the same as the other, and reads its files.
class MultiNodeBatchNormalization : public links::BatchNormalization {
 public:
  // The communicator must outlive it and its copies. Other arguments and errors
  // are the other's.
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
