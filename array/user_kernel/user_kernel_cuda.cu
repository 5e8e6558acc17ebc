// User-defined kernels on CUDA: NVRTC compiles the program, launches go to the
// current stream.

#include <algorithm>
#include <map>
#include <memory>
#include <mutex>
#include <string>

#include "catena/array/kernels/kernel_definition.h"
#include "catena/array/user_kernel/kernel_backend.h"
#include "catena/array/user_kernel/runtime_code.h"
#include "catena/array/user_kernel/user_reduction_shape.h"
#include "catena/cuda/device_memory.h"
#include "catena/cuda/launch.h"
#include "catena/cuda/launch_shape.h"
#include "catena/cuda/record_params.h"

namespace catena::kernels::CATENA_BACKEND {
namespace {

using namespace catena::cuda;  // NOLINT(google-build-using-namespace)

constexpr int64_t kSlotBytes = 64;  // catena_slot of the generated code

struct Loaded {
  const void* run = nullptr;
  const void* combine = nullptr;  // of a reduction
};

LoadedUserKernel load(const UserKernelProgram& program, Device device) {
  const RuntimeCode& code =
      runtime_code(program, {program.name + "_kernel"}, device.index());
  static std::mutex mutex;
  static auto& kernels =
      *new std::map<const RuntimeCode*, std::unique_ptr<const Loaded>>;
  const std::lock_guard lock(mutex);
  std::unique_ptr<const Loaded>& found = kernels[&code];
  if (!found) {
    found = std::make_unique<const Loaded>(
        Loaded{find_kernel(code, code.lowered_names[0]),
               program.reduction ? find_kernel(code, program.name + "_combine")
                                 : nullptr});
  }
  return found.get();
}

// The number of blocks that process so many items, a thread for each.
int64_t blocks_for(const void* kernel, int64_t items, int device) {
  return loop_blocks(items, 1, resident_blocks(kernel, kBlockThreads, device));
}

void run_reduction(const Loaded& kernels, UserKernelArgs& args, int device) {
  UserReductionShape shape =
      user_reduction_shape(args.outputs, args.count, args.by_columns != 0,
                           resident_blocks(kernels.run, kBlockThreads, device));
  const bool cut = shape.parts > 1;
  const Memory partials(cut ? shape.parts * args.outputs * kSlotBytes : 0,
                        device);
  void* slots = partials.ptr();
  void* params[] = {&args, &shape.threads, &shape.parts, &slots};
  launch(kernels.run, shape.blocks, kBlockThreads, params, device);
  if (!cut) return;
  void* combine[] = {&args, &slots, &shape.parts};
  launch(kernels.combine, blocks_for(kernels.combine, args.outputs, device),
         kBlockThreads, combine, device);
}

// Numbers, and whether there are arrays; not all of the rest is initialized.
void record(const UserKernelArgs& args, int nparams) {
  record_params(args.size);
  for (int k = 0; k < nparams; ++k) record_params(args.params[k].data);
}

void run(LoadedUserKernel kernel, const UserKernelArgs& args, int nparams,
         Device device) {
  record(args, nparams);
  const auto& kernels = *static_cast<const Loaded*>(kernel);
  const int index = device.index();
  // The kernel reads only as many arguments as it has parameters.
  UserKernelArgs copy = args;
  if (kernels.combine != nullptr) {
    run_reduction(kernels, copy, index);
    return;
  }
  void* params[] = {&copy};
  launch(kernels.run, blocks_for(kernels.run, args.size, index), kBlockThreads,
         params, index);
}

}  // namespace

template <>
constinit const UserKernelBackend Kernels<UserKernelBackend>::table = {load,
                                                                       run};

extern const auto kUserKernels = register_kernels<UserKernelBackend>();

}  // namespace catena::kernels::CATENA_BACKEND
