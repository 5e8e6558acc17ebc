#pragma once

// Lanes<E>: as many floats or doubles as one register of the instruction set
// holds, with the operators and functions that functors use. Compiled once per
// instruction set, in that set's namespace.

#include "catena/array/cpu/lane_math.h"
#include "catena/array/cpu/lane_memory.h"
#include "catena/array/cpu/lane_power.h"
#include "catena/array/cpu/lane_trigonometry.h"
#include "catena/array/cpu/lane_vector.h"
