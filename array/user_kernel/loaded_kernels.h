#pragma once

#include <functional>
#include <mutex>
#include <vector>

#include "catena/array/array.h"
#include "catena/array/user_kernel/kernel_source.h"

namespace catena::array {

// What a user-defined kernel has been compiled into so far: one program for
// each form of call and device. Safe for threads.
class LoadedKernels {
 public:
  // The loaded program of that form; `write` gives its source the first time.
  LoadedUserKernel find(
      const CallForm& form, Device device,
      const std::function<UserKernelProgram(const CallForm&)>& write);

 private:
  struct Entry {
    CallForm form;
    Device device;
    KernelTarget target;
    LoadedUserKernel kernel;
  };
  std::mutex mutex_;
  std::vector<Entry> entries_;
};

// Some axes of a loop and how each argument walks them.
struct LoopAxes {
  Shape shape;
  std::vector<Strides> strides;  // for each argument, in the order of shape
};

// Drops axes of extent 1 and merges neighbours that every argument walks as
// one; the order of the axes stays, so that positions keep their meaning.
void fold_axes(LoopAxes& axes);

// The strides with which an array is walked when broadcast to `shape`.
Strides broadcast_strides(const Array& a, const Shape& shape);

// Settles form and argument of a raw array; folded if `reduce_dims`.
void fill_raw(const Array& a, bool reduce_dims, ParamForm& form,
              UserKernelParam& param);

// How an innermost axis of that stride is met.
ParamForm::Kind kind_of_stride(int64_t stride, int64_t itemsize);

// Throws ValueError unless `name` can name a function and there are between 1
// and `max` parameters, with at least one output.
void check_kernel(const KernelText& text, int max);

}  // namespace catena::array
