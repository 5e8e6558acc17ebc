#pragma once

#include <string>

#include "catena/links/observation.h"
#include "catena/training/communicators/communicator.h"
#include "catena/training/extension.h"

namespace catena::training::communicators {

// The mean over ranks of each value that stands for one number; a name that
// some ranks lack is averaged over the others. Other values are left out.
Observation mean_over_ranks(const Observation& values,
                            Communicator& communicator);

// Replaces what this rank has observed in an iteration by the means over all
// ranks, before extensions that read it, such as LogReport: so reports are of
// the whole minibatch, on every rank. Extend the trainers of all ranks with it.
class ObservationAggregator final : public Extension {
 public:
  // The communicator must outlive it.
  explicit ObservationAggregator(Communicator& communicator)
      : communicator_(communicator) {}

  void operator()(Trainer& trainer) override;
  std::string default_name() const override { return "ObservationAggregator"; }
  // Before those that change observations.
  int priority() const override { return PRIORITY_EDITOR + 50; }

 private:
  Communicator& communicator_;
};

}  // namespace catena::training::communicators
