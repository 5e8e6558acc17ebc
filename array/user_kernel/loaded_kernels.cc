#include "catena/array/user_kernel/loaded_kernels.h"

#include <algorithm>
#include <exception>

#include "catena/array/core/error.h"

namespace catena::array {

LoadedUserKernel LoadedKernels::known(const CallForm& form, Device device,
                                      KernelTarget target) const {
  for (const Entry& entry : entries_) {
    if (entry.device == device && entry.target == target &&
        entry.form == form) {
      return entry.kernel;
    }
  }
  return nullptr;
}

LoadedUserKernel LoadedKernels::find(
    const CallForm& form, Device device,
    const std::function<UserKernelProgram(const CallForm&)>& write) {
  const KernelTarget target = kernel_target(device);
  {
    const std::lock_guard lock(mutex_);
    const LoadedUserKernel kernel = known(form, device, target);
    if (kernel != nullptr) return kernel;
  }
  // Compile without the lock, so that other forms do not wait; the backend
  // ensures that no program is compiled twice.
  const LoadedUserKernel kernel =
      kernel_slot<UserKernelBackend>.on(device).load(write(form), device);
  const std::lock_guard lock(mutex_);
  if (known(form, device, target) == nullptr) {
    entries_.push_back({form, device, target, kernel});
  }
  return kernel;
}

void LoadedKernels::start(
    const CallForm& form, Device device,
    const std::function<UserKernelProgram(const CallForm&)>& write) {
  const auto& backend = kernel_slot<UserKernelBackend>.on(device);
  const std::lock_guard lock(mutex_);
  if (known(form, device, kernel_target(device)) != nullptr) return;
  loading_.emplace_back([&backend, device, program = write(form)] {
    try {
      backend.load(program, device);
    } catch (const std::exception&) {
      // find() runs into it again and tells the caller.
    }
  });
}

void fold_axes(LoopAxes& axes) {
  LoopAxes folded;
  folded.strides.resize(axes.strides.size());
  for (int axis = 0; axis < axes.shape.ndim(); ++axis) {
    const int64_t extent = axes.shape[axis];
    if (extent == 1) continue;
    bool merges = !folded.shape.empty();
    for (size_t k = 0; merges && k < axes.strides.size(); ++k) {
      merges = folded.strides[k].back() == axes.strides[k][axis] * extent;
    }
    if (merges) {
      folded.shape.back() *= extent;
    } else {
      folded.shape.push_back(extent);
    }
    for (size_t k = 0; k < axes.strides.size(); ++k) {
      const int64_t stride = axes.strides[k][axis];
      if (merges) {
        folded.strides[k].back() = stride;
      } else {
        folded.strides[k].push_back(stride);
      }
    }
  }
  axes = std::move(folded);
}

Strides broadcast_strides(const Array& a, const Shape& shape) {
  Strides strides = Shape::filled(shape.ndim(), 0);
  const int shift = shape.ndim() - a.ndim();
  for (int axis = 0; axis < a.ndim(); ++axis) {
    if (a.shape()[axis] != 1) strides[axis + shift] = a.strides()[axis];
  }
  return strides;
}

void fill_raw(const Array& a, bool reduce_dims, ParamForm& form,
              UserKernelParam& param) {
  LoopAxes axes{a.shape(), {a.strides()}};
  if (reduce_dims && a.is_contiguous()) {
    axes = {{a.size()}, {{a.itemsize()}}};
  } else if (reduce_dims) {
    fold_axes(axes);
  }
  form.kind = a.is_contiguous() ? ParamForm::Kind::kRawContiguous
                                : ParamForm::Kind::kRaw;
  form.ndim = axes.shape.ndim();
  param.data = a.raw_data();
  param.size = a.size();
  std::copy(axes.shape.begin(), axes.shape.end(), param.shape);
  std::copy(axes.strides[0].begin(), axes.strides[0].end(), param.strides);
}

ParamForm::Kind kind_of_stride(int64_t stride, int64_t itemsize) {
  return stride == 0          ? ParamForm::Kind::kRepeated
         : stride == itemsize ? ParamForm::Kind::kContiguous
                              : ParamForm::Kind::kStrided;
}

void check_kernel(const KernelText& text, int max) {
  if (!is_identifier(text.name)) {
    raise<ValueError>(
        "kernel: expected a name of letters, digits and underscores, got '",
        text.name, "'");
  }
  if (text.outputs.empty()) {
    raise<ValueError>(text.name,
                      ": expected at least one parameter in out_params");
  }
  const size_t count = text.inputs.size() + text.outputs.size();
  if (count > static_cast<size_t>(max)) {
    raise<ValueError>(text.name, ": expected at most ", max,
                      " parameters, got ", count);
  }
  check_distinct(text.inputs, text.outputs, text.name);
}

}  // namespace catena::array
