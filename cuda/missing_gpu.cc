#include "catena/cuda/missing_gpu.h"

#include "catena/array/core/error.h"

namespace catena::cuda {
namespace {

std::string text_of(int version) {
  return str(version / 1000, ".", version % 1000 / 10);
}

}  // namespace

std::string explain_missing_gpu(const DriverReport& report) {
  const std::string needed = text_of(report.runtime_version);
  std::string text;
  if (report.driver_version == 0) {
    text = str("no NVIDIA driver is loaded; this program needs one for CUDA ",
               needed);
  } else if (report.driver_version / 1000 < report.runtime_version / 1000) {
    // Minor versions of one major version work with each other.
    text = str("the NVIDIA driver supports CUDA up to ",
               text_of(report.driver_version), ", this program needs ", needed,
               ": update the driver");
  } else {
    text = "the NVIDIA driver finds no GPU";
    if (!report.visible_devices.empty()) {
      text += str(" among CUDA_VISIBLE_DEVICES=", report.visible_devices);
    }
  }
  if (!report.error.empty()) text += str(" (", report.error, ")");
  return text;
}

}  // namespace catena::cuda
