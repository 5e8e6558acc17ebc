#include "catena/optimizers/optimizer_capture.h"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "catena/array/aliasing.h"

namespace catena::internal {
namespace {

void set_grad(const Parameter& param, const Array& grad) {
  if (grad.defined()) {
    param.set_grad(grad);
  } else {
    param.cleargrad();
  }
}

class CapturedGradients final : public CapturedPart {
 public:
  explicit CapturedGradients(const Optimizer& optimizer)
      : optimizer_(optimizer) {}

  void capture(const std::function<void()>& step) override {
    step();
    for (const auto& [path, param] : optimizer_.parameters()) {
      if (param.is_initialized()) grads_.emplace_back(param, param.grad());
    }
  }
  void after_launch() override {
    for (const auto& [param, grad] : grads_) {
      if (!array::begin_together(param.grad(), grad)) set_grad(param, grad);
    }
  }

 private:
  const Optimizer& optimizer_;
  std::vector<std::pair<Parameter, Array>> grads_;
};

class OptimizerInCapture final : public CaptureParticipant {
 public:
  explicit OptimizerInCapture(const Optimizer& optimizer)
      : optimizer_(optimizer) {}

  std::string obstacle() const override {
    return optimizer_.capture_obstacle();
  }
  void append_key(std::vector<uint64_t>& key) const override {
    optimizer_.append_capture_key(key);
  }
  std::function<void()> save(Device /*device*/) const override {
    std::vector<Array> grads;
    for (const auto& [path, param] : optimizer_.parameters()) {
      grads.push_back(param.grad());
    }
    return [this, grads] {
      for (size_t i = 0; i < grads.size(); ++i) {
        set_grad(optimizer_.parameters()[i].second, grads[i]);
      }
    };
  }
  std::unique_ptr<CapturedPart> part() const override {
    return std::make_unique<CapturedGradients>(optimizer_);
  }

 private:
  const Optimizer& optimizer_;
};

}  // namespace

std::unique_ptr<CaptureParticipant> optimizer_in_capture(
    const Optimizer& optimizer) {
  return std::make_unique<OptimizerInCapture>(optimizer);
}

}  // namespace catena::internal
