#pragma once

#include <cudnn.h>

#include <span>
#include <string_view>
#include <vector>

#include "catena/array/array.h"
#include "catena/array/core/source_location.h"
#include "catena/cuda/cudnn_library.h"
#include "catena/functions/cudnn/cudnn_slot.h"

// Helpers shared by functions that call cuDNN.
namespace catena::functions::cudnn {

// Throws NotSupported (cudnn_slot.h) when cuDNN does not support the call,
// CudaError for any other failure.
void check(cudnnStatus_t status, std::string_view call,
           const SourceLocation& where = SourceLocation::current());

// Throws NotSupported when cuDNN is not installed, after a warning that says
// what is needed; DeviceError when config().use_cudnn is kAlways.
void require_library();

// A slot's function that needs the library:
//   installed = convolution_cudnn.fill(WithLibrary<convolve>::call);
template <auto function>
struct WithLibrary;
template <class Result, class... Args, Result (*function)(Args...)>
struct WithLibrary<function> {
  static Result call(Args... args) {
    require_library();
    return function(args...);
  }
};

// Owns a cuDNN descriptor.
template <class T, cudnnStatus_t (*create)(T*), cudnnStatus_t (*destroy)(T)>
class Descriptor {
 public:
  Descriptor() {
    check(cuda::call_cudnn<create>(&descriptor_), "cudnnCreate...Descriptor");
  }
  ~Descriptor() { static_cast<void>(cuda::call_cudnn<destroy>(descriptor_)); }
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  operator T() const { return descriptor_; }

 private:
  T descriptor_ = nullptr;
};

using Extents = std::vector<int>;

// The extents of images (N, C, d...), and sizes along d... . cuDNN does not
// support one spatial axis, so a second one is added before it, of extent 1 and
// with `of_added`.
Extents image_extents(const Array& images);
Extents spatial_sizes(std::span<const int64_t> sizes, int of_added);

// The memory order of images (N, C, d...).
enum class ImageOrder : uint8_t { kC, kChannelsLast };

// Describes an array that is contiguous, or images whose channels are last.
class TensorDescriptor
    : public Descriptor<cudnnTensorDescriptor_t, cudnnCreateTensorDescriptor,
                        cudnnDestroyTensorDescriptor> {
 public:
  TensorDescriptor() = default;
  TensorDescriptor(const Extents& extents, Dtype dtype) { set(extents, dtype); }
  void set(const Extents& extents, Dtype dtype,
           ImageOrder order = ImageOrder::kC) const;
};

// A scaling factor, in the type that elements of a dtype are accumulated in.
class Factor {
 public:
  Factor(double value, Dtype dtype)
      : is_double_(dtype == Dtype::kFloat64),
        value_(value),
        short_value_(static_cast<float>(value)) {}
  operator const void*() const {
    return is_double_ ? static_cast<const void*>(&value_) : &short_value_;
  }

 private:
  bool is_double_;
  double value_;
  float short_value_;
};

cudnnDataType_t data_type(Dtype dtype);
// The accumulation type for elements of a dtype.
cudnnDataType_t sum_type(Dtype dtype);
// Whether tensor cores may be used. float32 is never converted to float16,
// whose range is smaller.
cudnnMathType_t math_type(Dtype dtype);

// Whether cuDNN's counters can express the array: floating, nonempty, fewer
// than 2^31 elements.
bool is_usual(const Array& a);

}  // namespace catena::functions::cudnn
