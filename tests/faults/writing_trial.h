#pragma once

#include <functional>
#include <string>

#include "catena/tests/faults/fault_matrix.h"

namespace catena::testing {

// Writes a file at a path.
using Write = std::function<void(const std::string& path)>;

// Trials of a writer, each in a folder of its own where there is a file of this
// name already. Their state is the folder's: the old file or the new one, and
// nothing else.
FaultSubject writer(std::string name, std::string file, Write write);

}  // namespace catena::testing
