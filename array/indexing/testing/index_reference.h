#pragma once

#include <cstdint>
#include <random>
#include <span>
#include <vector>

#include "catena/array/array.h"
#include "catena/array/indexing/getitem.h"

// A slow model of NumPy's indexing, one element at a time, and random indexes
// to compare it with.
namespace catena::testing {

// The selection of an index: the shape of the result and, in C order, the
// positions in the indexed array's C order.
struct Selected {
  Shape shape;
  std::vector<int64_t> positions;
};
Selected select_slowly(const Shape& shape,
                       std::span<const AdvancedIndex> indexes);

// The values 0, 1, ... in the C order of `shape`, in a random memory layout:
// axes permuted, reversed, non-contiguous.
Array random_layout(const Shape& shape, std::mt19937_64& random,
                    Dtype dtype = Dtype::kInt64);
// Up to 5 axes with up to 4 elements, sometimes none.
Shape random_shape(std::mt19937_64& random);
// A valid index into an array of that shape with at least one array in it.
std::vector<AdvancedIndex> random_index(const Shape& shape,
                                        std::mt19937_64& random);

// The elements in C order.
std::vector<int64_t> integers_of(const Array& a);

}  // namespace catena::testing
