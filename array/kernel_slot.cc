#include "catena/array/kernel_slot.h"

#include <cstdlib>

#include "catena/array/error.h"

namespace catena {
namespace {

constexpr std::array<std::string_view, kKernelTargetCount> kTargetNames = {
    "baseline", "avx2", "avx512", "cuda"};

bool machine_has(KernelTarget target) {
#if defined(__x86_64__) && !defined(CATENA_ONLY_CPU_BASELINE)
  // These builtins also check that the system saves the wide registers.
  __builtin_cpu_init();
  const bool avx2 = __builtin_cpu_supports("avx2") &&
                    __builtin_cpu_supports("fma") &&
                    __builtin_cpu_supports("bmi2");
  switch (target) {
    case KernelTarget::kCpuBaseline:
      return true;
    case KernelTarget::kCpuAvx2:
      return avx2;
    case KernelTarget::kCpuAvx512:
      return avx2 && __builtin_cpu_supports("avx512f") &&
             __builtin_cpu_supports("avx512bw") &&
             __builtin_cpu_supports("avx512cd") &&
             __builtin_cpu_supports("avx512dq") &&
             __builtin_cpu_supports("avx512vl");
    case KernelTarget::kCuda:
      return false;
  }
#endif
  return target == KernelTarget::kCpuBaseline;
}

KernelTarget best_target() {
  const char* wish = std::getenv("CATENA_CPU_TARGET");
  for (int i = static_cast<int>(KernelTarget::kCpuAvx512); i > 0; --i) {
    const auto target = static_cast<KernelTarget>(i);
    if (wish != nullptr && kTargetNames[i] == wish) wish = nullptr;
    if (wish == nullptr && machine_has(target)) return target;
    if (wish != nullptr && kTargetNames[0] == std::string_view(wish)) break;
  }
  return KernelTarget::kCpuBaseline;
}

// Kernels compiled for the baseline run anywhere, so calls made before this
// initializer are right too, only slower.
[[maybe_unused]] const bool target_chosen = [] {
  internal::cpu_target = best_target();
  return true;
}();

}  // namespace

namespace internal {

constinit KernelTarget cpu_target = KernelTarget::kCpuBaseline;

void throw_no_kernel(std::string_view operation, Device device,
                     std::string_view cuda_target) {
  raise<NotImplementedError>(operation, ": no kernel for ", device,
                             " is linked; build with --config=cuda and add ",
                             cuda_target, " to deps");
}

}  // namespace internal

KernelTarget cpu_kernel_target() { return internal::cpu_target; }

std::string_view kernel_target_name(KernelTarget target) {
  return kTargetNames[static_cast<int>(target)];
}

void set_cpu_kernel_target(KernelTarget target) {
  if (!machine_has(target)) {
    raise<ValueError>("set_cpu_kernel_target: this machine lacks ",
                      kernel_target_name(target));
  }
  internal::cpu_target = target;
}

}  // namespace catena
