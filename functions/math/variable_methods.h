#pragma once

#include <initializer_list>
#include <span>

#include "catena/array/axis.h"
#include "catena/array/indexing/getitem.h"
#include "catena/autograd/variable.h"
#include "catena/functions/array/get_item.h"
#include "catena/functions/array/reshape.h"
#include "catena/functions/array/transpose.h"
#include "catena/functions/math/average.h"
#include "catena/functions/math/max.h"
#include "catena/functions/math/min.h"
#include "catena/functions/math/sum.h"

// The methods of Variable that are functions: x[0], x.reshape({2, -1}), x.T(),
// x.sum(), ... . Whoever includes this header can call them.
namespace catena::functions {

// What the methods of Variable call, such as x.sum(0); functions of the same
// names describe them.
struct VariableMethods {
  using Index = AdvancedIndex;

  // See get_item.h, reshape.h, ...
  static Variable get_item(const Variable& x, int64_t index) {
    const catena::Index indexes[] = {index};
    return functions::get_item(x, std::span<const catena::Index>(indexes));
  }
  static Variable get_item(const Variable& x,
                           std::initializer_list<AdvancedIndex> indexes) {
    return functions::get_item(x, indexes);
  }
  static Variable get_item(const Variable& x, const Array& indices) {
    if (is_integral(indices.dtype())) return functions::get_item(x, indices, 0);
    const AdvancedIndex indexes[] = {indices};
    return functions::get_item(x, std::span<const AdvancedIndex>(indexes));
  }
  static Variable reshape(const Variable& x, const Shape& shape) {
    return functions::reshape(x, shape);
  }
  static Variable transpose(const Variable& x, const Axes& axes) {
    return functions::transpose(x, axes);
  }
  static Variable sum(const Variable& x, const SumOptions& options) {
    return functions::sum(x, options);
  }
  static Variable mean(const Variable& x, const AverageOptions& options) {
    return functions::mean(x, options);
  }
  static Variable max(const Variable& x, const MaxOptions& options) {
    return functions::max(x, options);
  }
  static Variable min(const Variable& x, const MinOptions& options) {
    return functions::min(x, options);
  }
};

}  // namespace catena::functions

namespace catena {

inline Variable Variable::sum(const functions::SumOptions& options) const {
  return functions::sum(*this, options);
}
inline Variable Variable::mean(const functions::AverageOptions& options) const {
  return functions::mean(*this, options);
}
inline Variable Variable::max(const functions::MaxOptions& options) const {
  return functions::max(*this, options);
}
inline Variable Variable::min(const functions::MinOptions& options) const {
  return functions::min(*this, options);
}

}  // namespace catena
