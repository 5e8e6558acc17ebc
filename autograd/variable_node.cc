#include "catena/autograd/variable_node.h"

#include "catena/array/core/error.h"
#include "catena/autograd/function_node.h"

namespace catena {

VariableNode::VariableNode(Array data, bool requires_grad)
    : requires_grad_(requires_grad), data_(std::move(data)) {}

VariableNode::~VariableNode() {
  if (creator_) creator_->outputs_[output_index_] = nullptr;
}

void VariableNode::release() noexcept {
  // The only owner cannot race with anything.
  if (counts_.load(std::memory_order_acquire) == kReference ||
      counts_.fetch_sub(kReference, std::memory_order_acq_rel) == kReference) {
    delete this;
  }
}

void VariableNode::acquire_handle() {
  if (counts_.fetch_add(kHandle, std::memory_order_relaxed) < kHandle) {
    acquire();
  }
}

bool VariableNode::try_acquire_handle() {
  uint64_t counts = counts_.load(std::memory_order_relaxed);
  while (counts >= kHandle) {
    if (counts_.compare_exchange_weak(counts, counts + kHandle,
                                      std::memory_order_relaxed)) {
      return true;
    }
  }
  return false;
}

void VariableNode::release_handle() noexcept {
  uint64_t counts = counts_.load(std::memory_order_acquire);
  if (counts == kSoleHandle) {
    delete this;
    return;
  }
  uint64_t given_up;
  do {
    given_up = kHandle;
    if (counts < 2 * kHandle && creator_) {
      // An intermediate variable: only its own graph could create a handle.
      drop_data();
      given_up = kSoleHandle;
    }
  } while (!counts_.compare_exchange_weak(counts, counts - given_up,
                                          std::memory_order_acq_rel,
                                          std::memory_order_acquire));
  counts -= given_up;
  if (counts == 0) {
    delete this;
  } else if (counts < kHandle && given_up == kHandle) {
    // A leaf without handles, which may be in graphs of several threads.
    drop_data();
    release();
  }
}

void VariableNode::set_data(Array data) {
  if (grad_.defined() && data.defined()) {
    const Array& grad = grad_.data();
    if (grad.shape() != data.shape() || grad.dtype() != data.dtype() ||
        grad.device() != data.device()) {
      grad_ = Variable();
    }
  }
  data_ = std::move(data);
  bump_version();
}

void VariableNode::drop_data() {
  if (data_.defined()) {
    lost_shape_ = data_.shape();
    has_lost_shape_ = true;
    lost_dtype_ = data_.dtype();
    lost_device_ = data_.device();
    data_ = Array();
  }
  grad_ = Variable();
}

void VariableNode::set_creator(FunctionNode* creator, int index) {
  set_creator(Ref<FunctionNode>(creator), index);
}

void VariableNode::set_creator(Ref<FunctionNode> creator, int index) {
  unchain();
  rank_ = creator->rank() + 1;
  creator_ = std::move(creator);
  output_index_ = index;
}

void VariableNode::unchain() {
  if (!creator_) return;
  creator_->outputs_[output_index_] = nullptr;
  creator_ = {};
}

const std::string& VariableNode::name() const {
  static const std::string kNone;
  return name_ ? *name_ : kNone;
}

void VariableNode::set_name(std::string name) {
  name_ = std::make_unique<std::string>(std::move(name));
}

std::string VariableNode::label() const {
  std::string text = name_ ? *name_ + ": " : std::string();
  if (!has_shape()) return text + "(uninitialized)";
  return str(text, shape(), ", ", dtype());
}

void check_gradient(const Array& grad, const VariableNode& node,
                    std::string_view operation) {
  if (!node.has_shape()) {
    raise<GradientError>(operation,
                         ": expected an initialized variable, got "
                         "one without a shape");
  }
  if (grad.shape() != node.shape()) {
    raise<ShapeError>(operation, ": expected a gradient of shape ",
                      node.shape(), ", got ", grad.shape());
  }
  if (grad.dtype() != node.dtype()) {
    raise<DtypeError>(operation, ": expected a gradient of dtype ",
                      node.dtype(), ", got ", grad.dtype());
  }
  if (grad.device() != node.device()) {
    raise<DeviceError>(operation, ": expected a gradient on ", node.device(),
                       ", got ", grad.device());
  }
}

}  // namespace catena
