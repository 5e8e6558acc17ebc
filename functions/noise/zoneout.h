#pragma once

#include "catena/autograd/variable.h"

namespace catena::functions {

struct ZoneoutOptions {
  // The probability with which an element of h is kept.
  double ratio = 0.5;
  // 0 where h is kept and 1 where x is taken, of h's shape and dtype. Drawn
  // from the generator of h's device when undefined.
  Array mask = {};
  // Where the mask is put that was used; undefined in test mode.
  Array* return_mask = nullptr;
};

// The elements of h, the old state of a recurrent network, or of x, the new
// one, at random while config().train; else x itself, as in Chainer (not the
// mean of the two, as in the paper). Both are floating, of one dtype and shape.
// InvalidType, also for a mask that is not like h; ValueError unless ratio is
// in [0, 1]. (Krueger et al., 2016.)
Variable zoneout(const Variable& h, const Variable& x,
                 const ZoneoutOptions& options = {});

}  // namespace catena::functions
