#pragma once

#include <string>

// Why there is no GPU, for messages.
namespace catena::cuda {

// What the CUDA runtime says. Versions are CUDA's numbers: 12020 is 12.2.
struct DriverReport {
  int driver_version = 0;  // the latest CUDA that the driver supports; 0: none
  int runtime_version = 0;
  std::string error = {};  // of the question for GPUs; empty if it has none
  std::string visible_devices = {};  // CUDA_VISIBLE_DEVICES; empty if not set
};

// What was found and what is needed.
std::string explain_missing_gpu(const DriverReport& report);

}  // namespace catena::cuda
