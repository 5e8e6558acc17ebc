#pragma once

#include <cudnn.h>

#include <string_view>
#include <vector>

#include "catena/array/array.h"
#include "catena/cuda/cudnn_handle.h"

// What the functions that call cuDNN share.
namespace catena::functions::cudnn {

// A descriptor of cuDNN's.
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

// Describes an array in C order.
class TensorDescriptor
    : public Descriptor<cudnnTensorDescriptor_t, cudnnCreateTensorDescriptor,
                        cudnnDestroyTensorDescriptor> {
 public:
  TensorDescriptor() = default;
  TensorDescriptor(const Extents& extents, Dtype dtype) { set(extents, dtype); }
  void set(const Extents& extents, Dtype dtype) const;
};

// A factor, of the type in which elements of a dtype are added up.
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
// The type in which elements of it are added up.
cudnnDataType_t sum_type(Dtype dtype);
// float32 is multiplied as such unless tensor cores are demanded, which round
// it to fewer bits.
cudnnMathType_t math_type(Dtype dtype);

// Whether it has elements, fewer than cuDNN can count, of float16, float32 or
// float64, which all of its functions take.
bool is_usual(const Array& a);

// Whether the call has done its work; false when cuDNN has no such one.
// CudaError for any other failure.
bool is_done(cudnnStatus_t status, std::string_view call);

}  // namespace catena::functions::cudnn
