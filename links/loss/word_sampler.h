#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "catena/array/sampling.h"

// What links share that draw words.
namespace catena::links {

// (words, in_size). ValueError naming the link when a size is not positive.
Shape word_matrix_shape(std::string_view link, int64_t in_size,
                        const std::vector<int64_t>& counts,
                        int64_t sample_size);

// Draws w with a probability proportional to counts[w] to the power. ValueError
// unless no count is negative and one is positive.
array::random::WalkerAlias word_sampler(const std::vector<int64_t>& counts,
                                        double power);

}  // namespace catena::links
