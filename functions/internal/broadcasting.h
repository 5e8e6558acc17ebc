#pragma once

#include <string_view>

#include "catena/autograd/function_node.h"
#include "catena/functions/kinds.h"

// The nodes of broadcast_to and sum_to, which are each other's gradients.
namespace catena::functions {

// Sums x over the axes along which `shape` broadcasts to x's shape; x itself if
// it has that shape. Throws ShapeError when `shape` does not broadcast to x's.
Array sum_to_shape(const Array& x, const Shape& shape);

class BroadcastTo final : public FunctionNode {
 public:
  explicit BroadcastTo(const Shape& shape) : shape_(shape) {}
  std::string_view label() const override { return "broadcast_to"; }
  FunctionDescription description() const override {
    return FunctionDescription::of<kinds::BroadcastTo>({{"shape", shape_}});
  }
  void check_type_forward(TypeCheck& in) const override;
  Arrays forward(const Arrays& in) override;
  Variables backward(const Indexes& wanted, const Variables& gy) override;

 private:
  Shape shape_;
};

class SumTo final : public FunctionNode {
 public:
  explicit SumTo(const Shape& shape) : shape_(shape) {}
  std::string_view label() const override { return "sum_to"; }
  FunctionDescription description() const override {
    return FunctionDescription::of<kinds::SumTo>({{"shape", shape_}});
  }
  void check_type_forward(TypeCheck& in) const override;
  Arrays forward(const Arrays& in) override;
  Variables backward(const Indexes& wanted, const Variables& gy) override;

 private:
  Shape shape_;
};

// sum_to (functions/math/sum_to.h).
Variable summed_to(const Variable& x, const Shape& shape);

}  // namespace catena::functions
