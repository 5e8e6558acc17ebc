#pragma once

#include <cudnn.h>

#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

// cuDNN's graph API: operations on tensors, for which it offers execution plans
// of its engines, the fastest first. An object is a descriptor with attributes,
// which are set before it is finalized and then only read.
namespace catena::functions::cudnn {

class BackendDescriptor {
 public:
  explicit BackendDescriptor(cudnnBackendDescriptorType_t type);
  ~BackendDescriptor();
  BackendDescriptor(BackendDescriptor&& other) noexcept
      : descriptor_(std::exchange(other.descriptor_, nullptr)) {}
  BackendDescriptor& operator=(BackendDescriptor&& other) noexcept {
    std::swap(descriptor_, other.descriptor_);
    return *this;
  }

  cudnnBackendDescriptor_t get() const { return descriptor_; }

  // Each throws NotSupported when cuDNN refuses the value, CudaError for any
  // other failure.
  template <class T>
  void set(cudnnBackendAttributeName_t name, T value) {
    set(name, type_of(value), 1, &value);
  }
  template <class T>
  void set_all(cudnnBackendAttributeName_t name, std::span<const T> values) {
    set(name, type_of(T()), static_cast<int64_t>(values.size()), values.data());
  }
  void set(cudnnBackendAttributeName_t name, const BackendDescriptor& value);
  // The addresses of data, not descriptors.
  void set_pointers(cudnnBackendAttributeName_t name,
                    std::span<void* const> values);
  void finalize();

  // For finalized descriptors.
  int64_t number(cudnnBackendAttributeName_t name) const;
  // How many values or descriptors there are.
  int64_t count(cudnnBackendAttributeName_t name,
                cudnnBackendAttributeType_t type) const;
  // Reads up to `count` values, and returns how many it has read.
  int64_t read(cudnnBackendAttributeName_t name,
               cudnnBackendAttributeType_t type, int64_t count,
               void* values) const;

 private:
  static constexpr auto type_of(int64_t) { return CUDNN_TYPE_INT64; }
  static constexpr auto type_of(double) { return CUDNN_TYPE_DOUBLE; }
  static constexpr auto type_of(float) { return CUDNN_TYPE_FLOAT; }
  static constexpr auto type_of(bool) { return CUDNN_TYPE_BOOLEAN; }
  static constexpr auto type_of(cudnnHandle_t) { return CUDNN_TYPE_HANDLE; }
  static constexpr auto type_of(cudnnDataType_t) {
    return CUDNN_TYPE_DATA_TYPE;
  }
  static constexpr auto type_of(cudnnConvolutionMode_t) {
    return CUDNN_TYPE_CONVOLUTION_MODE;
  }
  static constexpr auto type_of(cudnnPointwiseMode_t) {
    return CUDNN_TYPE_POINTWISE_MODE;
  }
  static constexpr auto type_of(cudnnNanPropagation_t) {
    return CUDNN_TYPE_NAN_PROPOGATION;
  }
  static constexpr auto type_of(cudnnBackendHeurMode_t) {
    return CUDNN_TYPE_HEUR_MODE;
  }
  void set(cudnnBackendAttributeName_t name, cudnnBackendAttributeType_t type,
           int64_t count, const void* values);

  cudnnBackendDescriptor_t descriptor_ = nullptr;
};

// Describes a tensor of a graph. Its id tells where its data are when a plan is
// executed; a virtual one only passes from one operation to the next.
struct BackendTensor {
  int64_t id;
  cudnnDataType_t type;
  std::span<const int64_t> extents;
  std::span<const int64_t> strides;  // in elements
  bool is_virtual = false;
};
// Data must be aligned to so many bytes.
inline constexpr int64_t kBackendAlignment = 16;
BackendDescriptor backend_tensor(const BackendTensor& tensor);

// What a plan may do.
struct PlanLimits {
  int64_t workspace;      // bytes
  bool deterministic;     // the same bits each time
  bool may_round_inputs;  // to TF32 or 16 bits, for tensor cores
};

// A finalized execution plan.
class BackendPlan {
 public:
  BackendPlan(BackendDescriptor plan, int64_t workspace)
      : plan_(std::move(plan)), workspace_(workspace) {}

  // In bytes.
  int64_t workspace() const { return workspace_; }
  // ids[i] is the tensor at data[i]. Throws NotSupported.
  void execute(cudnnHandle_t handle, std::span<const int64_t> ids,
               std::span<void* const> data, void* workspace) const;

 private:
  BackendDescriptor plan_;
  int64_t workspace_;
};

// Up to `most` plans for a graph of operations, by cuDNN's heuristics the
// fastest first, those that need no support of the hardware last. Empty if
// there is none within the limits.
std::vector<BackendPlan> find_plans(
    cudnnHandle_t handle, std::span<const BackendDescriptor> operations,
    const PlanLimits& limits, size_t most);

}  // namespace catena::functions::cudnn
