#include "catena/autograd/testing/live_objects.h"

#include <gtest/gtest.h>

#include "catena/array/core/memory_pool.h"

namespace catena::testing {

ExpectNoSurvivors::ExpectNoSurvivors()
    : before_(cpu::memory_pool_statistics().used_bytes) {}

ExpectNoSurvivors::~ExpectNoSurvivors() {
  EXPECT_EQ(bytes(), 0) << "bytes of arrays, variables or function nodes "
                           "have outlived their use";
}

int64_t ExpectNoSurvivors::bytes() const {
  return cpu::memory_pool_statistics().used_bytes - before_;
}

}  // namespace catena::testing
