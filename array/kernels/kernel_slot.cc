#include "catena/array/kernels/kernel_slot.h"

#include <algorithm>
#include <cstdlib>
#include <iterator>

#include "catena/array/core/error.h"

namespace catena {
namespace {

#define CATENA_TARGET(target, ...) KernelTarget::target,
constexpr KernelTarget kCpuTargets[] = {CATENA_CPU_TARGETS(CATENA_TARGET)};
#undef CATENA_TARGET

#define CATENA_NAME(target, backend, name, ...) name,
constexpr std::string_view kTargetNames[] = {
    CATENA_CPU_TARGETS(CATENA_NAME) "cuda"};
#undef CATENA_NAME

#define CATENA_FLAGS(target, backend, name, has, flags) flags,
constexpr std::string_view kTargetFlags[] = {
    CATENA_CPU_TARGETS(CATENA_FLAGS) ""};
#undef CATENA_FLAGS

// The builtins also check that the operating system saves the wide registers.
#ifdef __x86_64__
#define CATENA_CPU_HAS(feature) __builtin_cpu_supports(feature)
#else
#define CATENA_CPU_HAS(feature) false
#endif

bool machine_has(KernelTarget target) {
#ifdef __x86_64__
  __builtin_cpu_init();
#endif
  switch (target) {
#define CATENA_CASE(target, backend, name, has, ...) \
  case KernelTarget::target:                         \
    return has;
    CATENA_CPU_TARGETS(CATENA_CASE)
#undef CATENA_CASE
    case KernelTarget::kCuda:
      break;
  }
  return false;
}

// The best target that the machine supports, up to the one named by the
// environment, if any.
KernelTarget best_target() {
  const char* wish = std::getenv("CATENA_CPU_TARGET");
  const auto wished = std::ranges::find_if(kCpuTargets, [&](KernelTarget it) {
    return wish != nullptr && kernel_target_name(it) == wish;
  });
  KernelTarget best = KernelTarget::kCpuBaseline;
  for (const KernelTarget target : kCpuTargets) {
    if (machine_has(target)) best = target;
    if (wished != std::end(kCpuTargets) && target == *wished) break;
  }
  return best;
}

// Baseline kernels run anywhere, so calls before this initializer are correct,
// only slower.
[[maybe_unused]] const bool target_chosen = [] {
  internal::cpu_target = best_target();
  return true;
}();

}  // namespace

namespace internal {

constinit KernelTarget cpu_target = KernelTarget::kCpuBaseline;

void throw_no_kernel(std::string_view operation, Device device) {
  raise<NotImplementedError>(operation, ": no kernel for ", device,
                             " is linked; build with --config=cuda");
}

}  // namespace internal

std::span<const KernelTarget> cpu_kernel_targets() { return kCpuTargets; }

KernelTarget cpu_kernel_target() { return internal::cpu_target; }

std::string_view kernel_target_name(KernelTarget target) {
  return kTargetNames[static_cast<int>(target)];
}

std::string_view kernel_target_flags(KernelTarget target) {
  return kTargetFlags[static_cast<int>(target)];
}

void set_cpu_kernel_target(KernelTarget target) {
  if (!machine_has(target)) {
    raise<ValueError>("set_cpu_kernel_target: this machine lacks ",
                      kernel_target_name(target));
  }
  internal::cpu_target = target;
}

}  // namespace catena
