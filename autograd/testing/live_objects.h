#pragma once

#include <cstdint>

namespace catena::testing {

// Fails the test, through GoogleTest, when something created after this object
// is still alive at its destruction. Arrays with their memory, variables and
// function nodes are all allocated from the host memory pool, whose bytes in
// use are compared. Other threads must be idle.
class ExpectNoSurvivors {
 public:
  ExpectNoSurvivors();
  ~ExpectNoSurvivors();
  ExpectNoSurvivors(const ExpectNoSurvivors&) = delete;
  ExpectNoSurvivors& operator=(const ExpectNoSurvivors&) = delete;

  // The bytes allocated since construction and still in use.
  int64_t bytes() const;

 private:
  int64_t before_;
};

}  // namespace catena::testing
