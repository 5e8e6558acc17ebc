#pragma once

#include <string_view>

namespace catena::cuda {

inline constexpr std::string_view kReadsResults =
    "it reads results on the host (item(), printing, copies)";

// Notes in this thread's record why its work can't be captured.
void forbid_capture(std::string_view reason);

// Call before the host waits for work of a GPU's current stream: forbids
// captures. Throws DeviceError in a capture, in which nothing is computed: the
// driver would end the capture with an error.
void check_host_wait(int device, std::string_view operation,
                     std::string_view reason = kReadsResults);

}  // namespace catena::cuda
