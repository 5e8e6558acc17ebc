#pragma once

#include <functional>
#include <mutex>
#include <thread>
#include <vector>

#include "catena/array/array.h"
#include "catena/array/user_kernel/kernel_source.h"

namespace catena::array {

// The compiled programs of a user-defined kernel, one per call form and device.
// Thread-safe.
class LoadedKernels {
 public:
  // The loaded program for a form; `write` generates its source on first use.
  LoadedUserKernel find(
      const CallForm& form, Device device,
      const std::function<UserKernelProgram(const CallForm&)>& write);
  // Starts loading in a thread what find() will be asked for; until then find()
  // waits. Its errors are those of find().
  void start(const CallForm& form, Device device,
             const std::function<UserKernelProgram(const CallForm&)>& write);

 private:
  struct Entry {
    CallForm form;
    Device device;
    KernelTarget target;
    LoadedUserKernel kernel;
  };
  // Null if find() has not loaded it. The caller holds the mutex.
  LoadedUserKernel known(const CallForm& form, Device device,
                         KernelTarget target) const;

  std::mutex mutex_;
  std::vector<Entry> entries_;
  std::vector<std::jthread> loading_;  // last: joined before the rest ends
};

// Axes of a loop and each argument's strides along them.
struct LoopAxes {
  Shape shape;
  std::vector<Strides> strides;  // for each argument, in the order of shape
};

// Drops axes of extent 1 and merges adjacent axes that one loop can walk in
// every argument. The order of axes is kept, so that positions keep their
// meaning.
void fold_axes(LoopAxes& axes);

// The strides of an array broadcast to `shape`.
Strides broadcast_strides(const Array& a, const Shape& shape);

// Sets form and argument of a raw array, with axes merged if `reduce_dims`.
void fill_raw(const Array& a, bool reduce_dims, ParamForm& form,
              UserKernelParam& param);

// The kind of access for an innermost axis with this stride.
ParamForm::Kind kind_of_stride(int64_t stride, int64_t itemsize);

// Throws ValueError unless the name is a valid function name and there are 1 to
// `max` parameters, including at least one output.
void check_kernel(const KernelText& text, int max);

}  // namespace catena::array
