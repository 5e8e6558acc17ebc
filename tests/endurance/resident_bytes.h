#pragma once

#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdint>
#include <fstream>

namespace catena::testing {

// The resident memory of the process, in bytes.
inline int64_t resident_bytes() {
  std::ifstream statm("/proc/self/statm");
  int64_t pages = 0;
  int64_t resident = 0;
  statm >> pages >> resident;
  EXPECT_GT(resident, 0);
  return resident * sysconf(_SC_PAGESIZE);
}

}  // namespace catena::testing
