#pragma once

#include <cudnn.h>

#include <string_view>
#include <vector>

#include "catena/array/array.h"
#include "catena/cuda/cudnn_handle.h"

// Helpers shared by functions that call cuDNN.
namespace catena::functions::cudnn {

// Owns a cuDNN descriptor.
template <class T, cudnnStatus_t (*create)(T*), cudnnStatus_t (*destroy)(T)>
class Descriptor {
 public:
  Descriptor() {
    cuda::check(create(&descriptor_), "cudnnCreate...Descriptor");
  }
  ~Descriptor() { static_cast<void>(destroy(descriptor_)); }
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  operator T() const { return descriptor_; }

 private:
  T descriptor_ = nullptr;
};

using Extents = std::vector<int>;

// Describes a C-contiguous array.
class TensorDescriptor
    : public Descriptor<cudnnTensorDescriptor_t, cudnnCreateTensorDescriptor,
                        cudnnDestroyTensorDescriptor> {
 public:
  TensorDescriptor() = default;
  TensorDescriptor(const Extents& extents, Dtype dtype) { set(extents, dtype); }
  void set(const Extents& extents, Dtype dtype) const;
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
// float32 keeps full precision unless tensor cores are forced (kAlways), which
// round it to fewer bits.
cudnnMathType_t math_type(Dtype dtype);

// Whether every cuDNN function accepts the array: nonempty, small enough for
// cuDNN's counters, and float16, float32 or float64.
bool is_usual(const Array& a);

// Whether the call succeeded; false when cuDNN does not support it. Throws
// CudaError for any other failure.
bool is_done(cudnnStatus_t status, std::string_view call);

}  // namespace catena::functions::cudnn
