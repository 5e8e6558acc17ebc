#pragma once

#include "catena/autograd/variable.h"
#include "catena/functions/normalization/batch_normalization.h"
#include "catena/training/communicators/communicator.h"

namespace catena::training::communicators {

// y = the sum of x over all ranks, on every rank; x is floating (else
// InvalidType) and has the same dtype and shape on all ranks (else
// CommunicatorError). Differentiable to any order if all ranks run the same
// backward passes: gradients are those of the sum of all ranks' losses. The
// communicator must outlive the graph.
Variable allreduce(const Variable& x, Communicator& communicator);

// functions::batch_normalization with mean and variance over the minibatches of
// all ranks, for y, for gradients of any order and for the running statistics.
// The number of examples may differ between ranks. gamma and beta get this
// rank's share of the gradients; the optimizer adds them up over ranks.
Variable multi_node_batch_normalization(
    const Variable& x, const Variable& gamma, const Variable& beta,
    Communicator& communicator,
    const functions::BatchNormalizationOptions& options = {});

}  // namespace catena::training::communicators
