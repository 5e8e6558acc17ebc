#include "catena/tests/benchmarks/captured.h"

namespace catena::benchmarks {

std::function<void()> capture(const std::function<void()>&) { return nullptr; }

}  // namespace catena::benchmarks
