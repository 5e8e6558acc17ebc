#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "catena/array/core/device.h"

// What a benchmark says of the GPU that it measures.
namespace catena::benchmarks {

// The most bytes that arrays, graphs and libraries had from the device's pool
// at a time since reset_peak_memory(); nothing on the CPU.
void reset_peak_memory(Device device);
std::optional<int64_t> peak_memory(Device device);

// The versions of CUDA: "CUDA 13.0, driver for 13.0"; empty without CUDA.
std::string cuda_versions();

}  // namespace catena::benchmarks
