#pragma once

#include <vector>

#include "catena/array/indexing/getitem.h"
#include "catena/tests/support/golden.h"

namespace catena::testing {

// The index of a golden case: attr/slices has a row (kind, a, b, c) for each
// element (tests/golden/README.md). Its arrays are on `device`.
std::vector<AdvancedIndex> golden_index(const GoldenCase& golden,
                                        Device device);

}  // namespace catena::testing
