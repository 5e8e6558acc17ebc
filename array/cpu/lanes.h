#pragma once

// Lanes<E>: a SIMD register of floats or doubles with the operators and
// functions that functors use. Compiled once per instruction set, in its
// namespace.

#include "catena/array/cpu/lane_math.h"
#include "catena/array/cpu/lane_memory.h"
#include "catena/array/cpu/lane_power.h"
#include "catena/array/cpu/lane_trigonometry.h"
#include "catena/array/cpu/lane_vector.h"
