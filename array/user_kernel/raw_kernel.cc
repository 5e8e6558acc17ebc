#include "catena/array/user_kernel/raw_kernel.h"

#include <utility>

#include "catena/array/core/error.h"
#include "catena/array/user_kernel/kernel_backend.h"
#include "catena/array/user_kernel/runtime_code.h"
#include "catena/cuda/device.h"
#include "catena/cuda/error.h"
#include "catena/cuda/record_params.h"
#include "catena/cuda/stream.h"

namespace catena::cuda {
namespace {

dim3 checked_extent(LaunchExtent extent, const std::string& kernel,
                    std::string_view what) {
  if (extent.x == 0 || extent.y == 0 || extent.z == 0) {
    raise<ValueError>(kernel, ": expected a ", what,
                      " with positive extents, got (", extent.x, ", ", extent.y,
                      ", ", extent.z, ")");
  }
  return dim3(extent.x, extent.y, extent.z);
}

}  // namespace

RawKernelArg::RawKernelArg(const Array& array) : device_(array.device()) {
  const void* data = array.raw_data();
  std::memcpy(bytes_, &data, sizeof(data));
}

RawKernel::RawKernel(std::string code, std::string name,
                     std::vector<std::string> options)
    : code_(std::move(code)),
      name_(std::move(name)),
      options_(std::move(options)) {}

void RawKernel::operator()(LaunchExtent grid, LaunchExtent block,
                           std::initializer_list<RawKernelArg> args,
                           const RawKernelOptions& options) const {
  const auto find = [&](int device) {
    const RuntimeCode& code =
        runtime_code({.name = name_,
                      .source = "#line 1 \"code\"\n" + code_,
                      .texts = {{"code", code_}},
                      .options = options_},
                     {name_}, device);
    return find_kernel(code, code.lowered_names[0]);
  };
  internal::launch_raw(name_, find, grid, block, args, options);
}

void internal::launch_raw(const std::string& name,
                          const std::function<const void*(int device)>& find,
                          LaunchExtent grid, LaunchExtent block,
                          std::initializer_list<RawKernelArg> args,
                          const RawKernelOptions& options) {
  const dim3 grid_extent = checked_extent(grid, name, "grid");
  const dim3 block_extent = checked_extent(block, name, "block");
  if (options.shared_mem < 0) {
    raise<ValueError>(name, ": expected shared_mem of at least 0, got ",
                      options.shared_mem);
  }
  std::vector<RawKernelArg> values(args);
  std::vector<void*> params;
  std::optional<int> device = options.device;
  for (RawKernelArg& value : values) {
    params.push_back(value.data());
    if (!value.device()) continue;
    const Device own = *value.device();
    if (own.is_native() || (device && *device != own.index())) {
      raise<DeviceError>(name, ": expected argument ", params.size() - 1,
                         " on ",
                         device ? to_string(cuda_device(*device)) : "a GPU",
                         ", got an array on ", own);
    }
    device = own.index();
  }
  const int where = device.value_or(default_device());
  const void* kernel = find(where);
  const DeviceGuard guard(where);
  if (options.shared_mem > properties(where).shared_bytes_per_block) {
    check(cudaFuncSetAttribute(kernel,
                               cudaFuncAttributeMaxDynamicSharedMemorySize,
                               static_cast<int>(options.shared_mem)),
          "cudaFuncSetAttribute");
  }
  if (WorkRecord* record = current_work_record()) {
    for (const RawKernelArg& value : values) {
      record_bytes(*record, value.data(), RawKernelArg::kSize);
    }
    record->add({reinterpret_cast<uintptr_t>(kernel), grid_extent.x,
                 grid_extent.y, grid_extent.z, block_extent.x, block_extent.y,
                 block_extent.z});
  }
  check(cudaLaunchKernel(kernel, grid_extent, block_extent, params.data(),
                         static_cast<size_t>(options.shared_mem),
                         current_stream(where)),
        "cudaLaunchKernel");
}

}  // namespace catena::cuda
