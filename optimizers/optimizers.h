#pragma once

// All of optimizers, for programs; libraries include single headers.
// Written by tools/reference_pages; do not edit.
#include "catena/optimizers/ada_delta.h"
#include "catena/optimizers/ada_grad.h"
#include "catena/optimizers/adam.h"
#include "catena/optimizers/check_hyperparameter.h"
#include "catena/optimizers/corrected_momentum_sgd.h"
#include "catena/optimizers/device_loss_scaler.h"
#include "catena/optimizers/hook.h"
#include "catena/optimizers/hooks.h"
#include "catena/optimizers/hyperparameter.h"
#include "catena/optimizers/loss_function.h"
#include "catena/optimizers/loss_scaler.h"
#include "catena/optimizers/momentum_sgd.h"
#include "catena/optimizers/msvag.h"
#include "catena/optimizers/nesterov_ag.h"
#include "catena/optimizers/optimizer.h"
#include "catena/optimizers/rmsprop.h"
#include "catena/optimizers/rmsprop_graves.h"
#include "catena/optimizers/sgd.h"
#include "catena/optimizers/smorms3.h"
#include "catena/optimizers/update_rule.h"
