#pragma once

#include <cstdint>

namespace catena::testing {

// Fails the test, through GoogleTest, when something that was made after this
// object is still alive as it goes: arrays with their memory, variables and
// function nodes all live in the host's pool, whose bytes in use are compared.
// Other threads must be at rest.
class ExpectNoSurvivors {
 public:
  ExpectNoSurvivors();
  ~ExpectNoSurvivors();
  ExpectNoSurvivors(const ExpectNoSurvivors&) = delete;
  ExpectNoSurvivors& operator=(const ExpectNoSurvivors&) = delete;

  // The bytes of what was made since and is alive.
  int64_t bytes() const;

 private:
  int64_t before_;
};

}  // namespace catena::testing
