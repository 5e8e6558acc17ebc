#pragma once

#include <cstdint>
#include <string>

namespace catena::cpu {

// The bytes of memory that this process may use: the machine's, or fewer in a
// container (cgroup, version 1 or 2). 0 if the system does not say. The
// system's files are read below `root`, which is empty except in tests.
int64_t host_memory_limit(const std::string& root);

}  // namespace catena::cpu
