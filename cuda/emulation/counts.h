#pragma once

#include <cstdint>

// What the emulated driver has done so far, for tests of code that must make do
// with little.
namespace catena::cuda::emulation {

// The number of events created.
int64_t created_events();

// The number of copies from one device to another that take the way through the
// host, since not both have access to the other's memory.
int64_t staged_copies();

}  // namespace catena::cuda::emulation
