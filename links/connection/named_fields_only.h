#pragma once

namespace catena::links {

// As the first field of an options struct it lets braces stand for options only
// where they name fields: in Convolution2D(3, 64, {5, 3}) they are the ksize,
// and in Convolution2D(64, 5, {.pad = 2}) the options.
class NamedFieldsOnly {
 public:
  constexpr NamedFieldsOnly() {
  }  // not an aggregate, so that nothing converts to it
};

}  // namespace catena::links
