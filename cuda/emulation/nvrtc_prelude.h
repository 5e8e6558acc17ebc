#pragma once

namespace catena::cuda::emulation {

// What the emulated NVRTC compiles before the code itself: the language and the
// functions that NVRTC has built in, in plain C++ without any header.
extern const char* const kNvrtcPrelude;

}  // namespace catena::cuda::emulation
