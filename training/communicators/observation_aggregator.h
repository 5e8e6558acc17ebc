#pragma once

#include <string>

#include "catena/links/observation.h"
#include "catena/training/communicators/communicator.h"
#include "catena/training/extension.h"

namespace catena::training::communicators {

// The mean over ranks of each scalar value; a name that some ranks lack is
// averaged over the others. Other values are dropped.
Observation mean_over_ranks(const Observation& values,
                            Communicator& communicator);

// Replaces the values that this rank has observed in an iteration by the means
// over all ranks, before extensions such as LogReport read them, so that
// reports on every rank cover the whole minibatch. All ranks' trainers must
// have it.
class ObservationAggregator final : public Extension {
 public:
  // The communicator must outlive it.
  explicit ObservationAggregator(Communicator& communicator)
      : communicator_(communicator) {}

  void operator()(Trainer& trainer) override;
  std::string default_name() const override { return "ObservationAggregator"; }
  // Before extensions that change observations.
  int priority() const override { return PRIORITY_EDITOR + 50; }

 private:
  Communicator& communicator_;
};

}  // namespace catena::training::communicators
