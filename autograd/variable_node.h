#pragma once

#include <atomic>
#include <memory>
#include <string>

#include "catena/array/core/memory_pool.h"
#include "catena/array/core/storage.h"
#include "catena/autograd/variable.h"

namespace catena {

// The graph's node for a variable. It counts handles (Variable) and references
// from the graph separately: with the last handle the data is freed, unless a
// function node retained it, while the node lives as long as the graph refers
// to it.
class VariableNode : public cpu::Pooled {
 public:
  VariableNode(Array data, bool requires_grad);
  virtual ~VariableNode();
  VariableNode(const VariableNode&) = delete;

  // Counts references from the graph. All handles together hold one.
  void acquire() { counts_.fetch_add(kReference, std::memory_order_relaxed); }
  void release() noexcept;

  // Counts handles. The first one after there were none adds a reference.
  void acquire_handle();
  // Adds a handle if there is one.
  bool try_acquire_handle();
  void release_handle() noexcept;
  bool has_handle() const {
    return counts_.load(std::memory_order_relaxed) >= kHandle;
  }
  // Whether a single handle is the only owner, so nothing else can see the
  // data.
  bool is_sole_handle() const {
    return counts_.load(std::memory_order_acquire) == kSoleHandle;
  }

  const Array& data() const { return data_; }
  // Clears a gradient that does not match the new data, and bumps the version.
  void set_data(Array data);

  const Variable& grad() const { return grad_; }
  Variable& grad() { return grad_; }
  void set_grad(Variable grad) { grad_ = std::move(grad); }

  // How often the data of a parameter changed; negative for other variables.
  virtual int64_t version() const { return kNoVersion; }
  // Counts a change of a parameter's data.
  virtual void bump_version() {}

  bool requires_grad() const { return requires_grad_; }
  Flag volatility() const { return volatility_; }
  void set_volatility(Flag flag) { volatility_ = flag; }
  int rank() const { return rank_; }
  FunctionNode* creator() const { return creator_.get(); }
  int output_index() const { return output_index_; }
  // Makes this node output `index` of the function.
  void set_creator(FunctionNode* creator, int index);
  void set_creator(Ref<FunctionNode> creator, int index);
  void unchain();

  const std::string& name() const;
  // For messages and drawings of graphs.
  void set_name(std::string name);

  // Shape, dtype and device, known even after the data was freed.
  const Shape& shape() const {
    return data_.defined() ? data_.shape() : lost_shape_;
  }
  Dtype dtype() const { return data_.defined() ? data_.dtype() : lost_dtype_; }
  Device device() const {
    return data_.defined() ? data_.device() : lost_device_;
  }
  bool has_shape() const { return data_.defined() || has_lost_shape_; }
  std::string label() const;

  // The gradient while a backward pass accumulates its terms.
  Variable& pending() { return pending_; }

 protected:
  static constexpr int64_t kNoVersion = -1;

  // Graphs that were recorded before are not to be used after it.
  void set_requires_grad(bool flag) { requires_grad_ = flag; }

 private:
  // Handles are counted in the upper half of a word, references in the lower:
  // giving up the last handle and its reference is one locked instruction.
  static constexpr uint64_t kReference = 1;
  static constexpr uint64_t kHandle = uint64_t{1} << 32;
  static constexpr uint64_t kSoleHandle = kHandle + kReference;

  void drop_data();

  std::atomic<uint64_t> counts_{kSoleHandle};
  int rank_ = 0;
  int32_t output_index_ = 0;
  bool requires_grad_;
  bool has_lost_shape_ = false;
  Flag volatility_ = Flag::kAuto;
  Array data_;
  Variable grad_;
  Variable pending_;
  Ref<FunctionNode> creator_;
  std::unique_ptr<std::string> name_;
  Shape lost_shape_;
  Dtype lost_dtype_ = Dtype::kFloat32;
  Device lost_device_;
};

// Checks that a gradient has the node's shape, dtype and device. Throws
// ShapeError, DtypeError or DeviceError naming `operation`.
void check_gradient(const Array& grad, const VariableNode& node,
                    std::string_view operation);

}  // namespace catena
