#pragma once

#include <cstdint>

#include "catena/links/initializers/initializers.h"
#include "catena/serializers/serializer.h"

namespace catena::links {

struct LowRankOptions {
  NamedFieldsOnly keywords = {};
  // The update is multiplied by alpha / rank.
  double alpha = 1;
  // In training, of the elements of the input that the update sees.
  double dropout = 0;
  Initializer initialA = initializers::LeCunNormal();
};

// A link whose weight W can learn by an update of low rank, as Linear. The
// update has parameters of its own beside W, lora_A and lora_B:
//
//   W + alpha / rank lora_B lora_A
//
// takes the place of W. links/lora.h gives updates to the layers of a model.
class LowRankLayer {
 public:
  virtual ~LowRankLayer() = default;

  // Adds an update. lora_B is zero at first, so that results stay as they are.
  // Throws ValueError unless rank is positive, alpha finite, dropout in [0, 1),
  // W initialized, and there is no update yet.
  virtual void add_low_rank(int64_t rank,
                            const LowRankOptions& options = {}) = 0;
  // Leaves W as it is: with the update if that is merged, else without.
  virtual void remove_low_rank() = 0;
  virtual bool has_low_rank() const = 0;

  // Adds the update to W, so that a call takes no more time than without one,
  // or subtracts it again, which restores W up to rounding. Nothing happens if
  // it is, or is not, merged already. While it is, it does not learn, and
  // saving or loading the link throws ValueError. All throw ValueError without
  // an update.
  virtual void merge_low_rank() = 0;
  virtual void unmerge_low_rank() = 0;
  virtual bool is_low_rank_merged() const = 0;

  // Freezes the parameters of the update, or unfreezes them.
  virtual void freeze_low_rank(bool frozen) = 0;
  // Reads or writes the update alone: lora_A, lora_B and lora_alpha.
  virtual void serialize_low_rank(const Serializer& serializer) = 0;

 protected:
  LowRankLayer() = default;
  LowRankLayer(const LowRankLayer&) = default;
  LowRankLayer(LowRankLayer&&) = default;
  LowRankLayer& operator=(const LowRankLayer&) = default;
  LowRankLayer& operator=(LowRankLayer&&) = default;
};

}  // namespace catena::links
