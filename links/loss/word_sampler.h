#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "catena/array/random/sampling.h"

// Helpers shared by links that sample words.
namespace catena::links {

// The shape (words, in_size). Throws ValueError naming the link when a size is
// not positive.
Shape word_matrix_shape(std::string_view link, int64_t in_size,
                        const std::vector<int64_t>& counts,
                        int64_t sample_size);

// Draws w with probability proportional to counts[w]^power. Throws ValueError
// unless counts are nonnegative and at least one is positive.
array::random::WalkerAlias word_sampler(const std::vector<int64_t>& counts,
                                        double power);

}  // namespace catena::links
