#pragma once

namespace catena::functions {

// Whether float32 convolutions on the CPU with windows of 3x3 and stride 1, and
// their gradients, may use Winograd's algorithm F(4x4, 3x3), where that is
// faster than the definition; up to 3 times. Results then have rounding errors
// of at most about 1e-5 of the largest sum of |x| |W| among the elements
// nearby, a few times those of the definition. (Lavin and Gray, "Fast
// Algorithms for Convolutional Neural Networks", 2015.)
//
// One setting for all threads. It is on by default; CATENA_WINOGRAD=0 turns it
// off for a program. Throws ValueError when CATENA_WINOGRAD is neither 0 nor 1.
bool is_winograd_enabled();
void set_winograd(bool is_enabled);

}  // namespace catena::functions
