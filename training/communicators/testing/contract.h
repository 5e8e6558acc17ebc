#pragma once

#include "catena/training/communicators/communicator.h"

// What every communicator promises, as tests that all its ranks run side by
// side: failures are GoogleTest's.
namespace catena::training::communicators::testing {

void check_collectives(Communicator& communicator);
void check_models(Communicator& communicator);
void check_bad_calls(Communicator& communicator);
// Training with the ranks' parts of minibatches against training with the whole
// ones: the same parameters to float32's rounding, and to the bit on all ranks.
void check_training(Communicator& communicator);
// Gradients that are scaled; where those of one rank are not finite, all of
// them skip the step.
void check_loss_scaling(Communicator& communicator);

}  // namespace catena::training::communicators::testing
