#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "catena/array/array.h"

// The weights of all layers in one buffer.
namespace catena::functions {

// Where in the buffer each matrix and each bias begins, in bytes from its
// start. They are C-contiguous.
struct NStepWeightLayout {
  int64_t bytes = 0;  // of the buffer
  std::vector<int64_t> ws;
  std::vector<int64_t> bs;
};

// The buffer, (bytes,) of uint8, with copies of the weights, and zeros between
// them. If they lie in memory like that it is a view of it.
Array pack_weights(const NStepWeightLayout& layout, std::span<const Array> ws,
                   std::span<const Array> bs);

// A layout without gaps: the matrices one after the other, then the biases,
// which is cuDNN's.
NStepWeightLayout dense_layout(std::span<const Array> ws,
                               std::span<const Array> bs);

// Views of a buffer at those places, with the shapes and dtypes of `like`.
std::vector<Array> unpacked_weights(const Array& buffer,
                                    std::span<const int64_t> places,
                                    std::span<const Array> like);

}  // namespace catena::functions
