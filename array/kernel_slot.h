#pragma once

#include <array>
#include <string_view>

#include "catena/array/device.h"
#include "catena/array/dtype.h"

#ifdef CATENA_ONLY_CPU_BASELINE
// --define=catena_cpu=baseline: one compilation of the CPU's kernels stands for
// all.
namespace catena::array {
namespace cpu_baseline {}
namespace cpu_avx2 = cpu_baseline;
namespace cpu_avx512 = cpu_baseline;
}  // namespace catena::array
#endif

namespace catena {

// Which compilation of a kernel runs: one of the CPU's, by the instruction set
// found at start, or CUDA's.
enum class KernelTarget : uint8_t { kCpuBaseline, kCpuAvx2, kCpuAvx512, kCuda };
inline constexpr int kKernelTargetCount = 4;

// The CPU target in use: the best the machine has, unless the environment
// variable CATENA_CPU_TARGET (baseline, avx2, avx512) asks for a lesser one.
KernelTarget cpu_kernel_target();
std::string_view kernel_target_name(KernelTarget target);
// For tests that compare targets: ValueError when the machine lacks it.
void set_cpu_kernel_target(KernelTarget target);

namespace internal {
extern constinit KernelTarget cpu_target;
[[noreturn]] void throw_no_kernel(std::string_view operation, Device device,
                                  std::string_view cuda_target);
}  // namespace internal

inline KernelTarget kernel_target(Device device) {
  return device.is_native() ? internal::cpu_target : KernelTarget::kCuda;
}

// A primitive operation: its name and one kernel for each target. The CPU's
// kernels are named by symbol in the slot's definition, so the linker keeps
// what is used and nothing depends on static initializers; the CUDA library
// installs its own when it is linked. A call costs an indexed load and an
// indirect call.
template <class Kernel>
struct KernelSlot {
  std::string_view name;
  std::array<const Kernel*, kKernelTargetCount> kernels;
  // The Bazel target that brings the CUDA kernel, for messages.
  std::string_view cuda_target = "@catena//cuda";

  // NotImplementedError naming operation, device and the target to depend on.
  const Kernel& on(Device device) const {
    const Kernel* kernel = kernels[static_cast<int>(kernel_target(device))];
    if (kernel == nullptr) {
      internal::throw_no_kernel(name, device, cuda_target);
    }
    return *kernel;
  }
  void set_cuda(const Kernel* kernel) {
    kernels[static_cast<int>(KernelTarget::kCuda)] = kernel;
  }
};

// Kernels of one operation, one for each dtype it is offered in.
template <class Fn>
struct DtypeTable {
  std::array<Fn*, kDtypeCount> by_dtype{};

  constexpr Fn* operator[](Dtype dtype) const {
    return by_dtype[static_cast<int>(dtype)];
  }
  constexpr void set(Dtype dtype, Fn* fn) {
    by_dtype[static_cast<int>(dtype)] = fn;
  }
};

}  // namespace catena
