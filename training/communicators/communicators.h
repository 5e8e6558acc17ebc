#pragma once

// Everything for training on several ranks except the communicators themselves:
// create_communicator.h, which needs MPI, and thread_communicator.h.
#include "catena/training/communicators/communicator.h"
#include "catena/training/communicators/multi_node_batch_normalization.h"
#include "catena/training/communicators/multi_node_checkpointer.h"
#include "catena/training/communicators/multi_node_evaluator.h"
#include "catena/training/communicators/multi_node_iterator.h"
#include "catena/training/communicators/multi_node_optimizer.h"
#include "catena/training/communicators/observation_aggregator.h"
#include "catena/training/communicators/scatter_dataset.h"
