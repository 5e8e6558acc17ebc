#pragma once

#include <cstdint>
#include <functional>
#include <memory>

#include "catena/array/core/backend.h"
#include "catena/array/core/device.h"

// Functions of CUDA's BackendTable with files of their own;
// array/core/backend.h says what they do.
namespace catena::cuda {

// captured_graph.cc
std::unique_ptr<CapturedWork> capture(Device device,
                                      const std::function<void()>& work,
                                      const CapturedWork* other);

// host_transfer.cc
std::shared_ptr<void> allocate_pinned(int64_t bytes);
bool is_pinned(const void* data);
std::unique_ptr<HostTransfer> open_transfer(Device device);

// profiling.cc
int64_t reserved_bytes();
int64_t used_bytes();
std::shared_ptr<const DeviceMark> mark(int device);

}  // namespace catena::cuda
