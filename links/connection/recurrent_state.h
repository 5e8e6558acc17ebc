#pragma once

#include <cstdint>
#include <string_view>

#include "catena/autograd/variable.h"

// States of recurrent links: variables that are kept between calls, and neither
// serialized nor optimized.
namespace catena::links {

// The state on the device, for set_state; the state itself if already there.
Variable state_on(const Variable& state, Device device);

// The state, or if undefined, zeros (rows of x, units) with x's dtype and
// device.
Variable state_or_zeros(const Variable& state, const Variable& x,
                        int64_t units);

// Throws ValueError, naming the link, when x has more rows than the state.
void check_batch(std::string_view link, const Variable& x,
                 const Variable& state);

// The first rows of a state, and a state with its first rows replaced.
Variable first_rows(const Variable& state, int64_t rows);
Variable with_rest(const Variable& first, const Variable& state);

}  // namespace catena::links
