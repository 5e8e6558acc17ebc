#pragma once

#include <cstdint>
#include <string_view>

#include "catena/autograd/variable.h"

// States of recurrent links: variables that are kept from call to call, and
// neither saved nor optimized.
namespace catena::links {

// Moves the state in place, if there is one; its graph stays.
void move_state_to(const Variable& state, Device device);

// The state on the device, for set_state: itself where it is there already.
Variable state_on(const Variable& state, Device device);

// The state, or zeros of shape (rows, units) like x where there is none.
Variable state_or_zeros(const Variable& state, const Variable& x,
                        int64_t units);

// ValueError, naming the link, when x has more rows than the state before.
void check_batch(std::string_view link, const Variable& x,
                 const Variable& state);

// The first rows of a state that may have more, and those with its other rows
// below.
Variable first_rows(const Variable& state, int64_t rows);
Variable with_rest(const Variable& first, const Variable& state);

}  // namespace catena::links
