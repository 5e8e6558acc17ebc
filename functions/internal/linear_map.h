#pragma once

#include <string>
#include <string_view>
#include <utility>

#include "catena/array/core/error.h"
#include "catena/autograd/function_node.h"
#include "catena/functions/kinds.h"

// Nodes of functions that are linear in one array; most only move elements. A
// struct describes such a function:
//
//   struct Flip {
//     static constexpr std::string_view kLabel = "flip";
//     using Kind = kinds::Flip;
//     int64_t axis;
//     // Names the fields, unless there are none.
//     template <class Visit>
//     void visit_options(Visit visit) const { visit("axis", axis); }
//     // Checks the input.
//     void check(const TypeCheck& in, type_check::Input x) const;
//     // y of x.
//     Array map(const Array& x) const;
//     // The gradient of x from y's: the transposed map, which must return
//     // an array of the shape and dtype of x.
//     Array transposed(const Array& gy, const ArrayForm& x) const;
//   };
//
//   Variable flip(const Variable& x, int64_t axis) {
//     return apply_linear(x, Flip{axis});
//   }
//
// Each of the two nodes is the other's derivative, so that the function can be
// differentiated to any order. Nothing is retained.
namespace catena::functions {

// The shape, dtype and device of an array's gradient.
struct ArrayForm {
  Shape shape;
  Dtype dtype;
  Device device;
};

// The kind of a map. One that stands for several functions has kind(), too.
template <class Map>
FunctionKind kind_of_map(const Map& map) {
  if constexpr (requires { map.kind(); }) {
    return map.kind();
  } else {
    return FunctionKind::of<typename Map::Kind>();
  }
}

template <class Map>
class TransposedMap;

template <class Map>
class LinearMap final : public FunctionNode {
 public:
  explicit LinearMap(Map map) : map_(std::move(map)) {}

  std::string_view label() const override { return Map::kLabel; }
  FunctionDescription description() const override {
    return {kind_of_map(map_), options_of(map_)};
  }

  void check_type_forward(TypeCheck& in) const override {
    const auto [x] = in.names<1>({"x"});
    map_.check(in, x);
  }

  Arrays forward(const Arrays& in) override { return {map_.map(in[0])}; }

  Variables backward(const Indexes&, const Variables& gy) override {
    const VariableNode& x = *inputs()[0];
    return {catena::apply<TransposedMap<Map>>(
        {gy[0]}, map_, ArrayForm{x.shape(), x.dtype(), x.device()})};
  }

 private:
  Map map_;
};

template <class Map>
class TransposedMap final : public FunctionNode {
 public:
  TransposedMap(Map map, const ArrayForm& x) : map_(std::move(map)), x_(x) {
    // The map may be affine; its derivative drops the constant.
    if constexpr (requires { map_.drop_constant(); }) map_.drop_constant();
  }

  std::string_view label() const override {
    static const std::string label = str(Map::kLabel, "_grad");
    return label;
  }
  FunctionDescription description() const override {
    return {FunctionKind::of<kinds::GradientOf<typename Map::Kind>>(),
            options_of(map_)};
  }

  Arrays forward(const Arrays& gy) override {
    return {map_.transposed(gy[0], x_)};
  }

  Variables backward(const Indexes&, const Variables& ggx) override {
    return {catena::apply<LinearMap<Map>>({ggx[0]}, map_)};
  }

 private:
  Map map_;
  ArrayForm x_;
};

template <class Map>
Variable apply_linear(const Variable& x, Map map) {
  return catena::apply<LinearMap<Map>>({x}, std::move(map));
}

}  // namespace catena::functions
