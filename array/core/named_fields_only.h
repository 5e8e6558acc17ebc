#pragma once

#include <compare>

namespace catena {

// The first field of every options struct: braces initialize the options only
// if they name fields, so that no number means one by its position. Some
// functions have arguments in braces, too: Convolution2D(3, 64, {5, 3}) passes
// a ksize, Convolution2D(64, 5, {.pad = 2}) options; sum(a, {0, 1}) passes
// axes, sum(a, {.axis = 0}) options.
class NamedFieldsOnly {
 public:
  constexpr NamedFieldsOnly() {
  }  // not an aggregate, so that nothing converts to it
  friend constexpr auto operator<=>(const NamedFieldsOnly&,
                                    const NamedFieldsOnly&) = default;
};

}  // namespace catena
