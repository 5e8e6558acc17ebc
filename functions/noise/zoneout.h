#pragma once

#include <concepts>

#include "catena/autograd/variable.h"

namespace catena::functions {

struct ZoneoutOptions {
  NamedFieldsOnly keywords = {};
  // The probability that an element of h is kept.
  double ratio = 0.5;
  // 0 to keep h and 1 to take x, with h's shape and dtype. By default drawn
  // from the generator of h's device.
  Array mask = {};
  // If set, receives the mask that was used; undefined in test mode.
  Array* return_mask = nullptr;
};

// Takes each element at random from h, the old state of a recurrent network, or
// x, the new state, if config().train; else returns x itself, as in Chainer
// (not the mean of the two, as in the paper). Both have the same floating dtype
// and shape, and so has the mask; else InvalidType. Throws ValueError unless
// ratio is in [0, 1]. (Krueger et al., 2016.)
Variable zoneout(const Variable& h, const Variable& x,
                 const ZoneoutOptions& options = {});
Variable zoneout(const Variable& h, const Variable& x,
                 std::convertible_to<double> auto ratio) {
  return zoneout(h, x, {.ratio = static_cast<double>(ratio)});
}

}  // namespace catena::functions
