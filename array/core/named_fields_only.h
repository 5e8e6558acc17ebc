#pragma once

namespace catena {

// As the first field of an options struct, it makes braces initialize the
// options only if they name fields: Convolution2D(3, 64, {5, 3}) passes a
// ksize, Convolution2D(64, 5, {.pad = 2}) options; sum(a, {0, 1}) passes axes,
// sum(a, {.axis = 0}) options.
class NamedFieldsOnly {
 public:
  constexpr NamedFieldsOnly() {
  }  // not an aggregate, so that nothing converts to it
};

}  // namespace catena
