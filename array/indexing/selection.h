#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "catena/array/array.h"
#include "catena/array/take_kernel.h"

namespace catena::array {

// Elements of an array selected by integer arrays, the common form of all
// indexing routines:
//
//   element(o, b, i) = base + o . outer + sum_k index_k(b) stride_k + i . inner
//
// o and i run over whole axes before and after the indexed ones, b over the
// broadcast shape of the index arrays. The kernels of take.h do the work: axes
// that form a contiguous block become its bytes, the rest one array of offsets.
class Selection {
 public:
  struct Axis {
    int64_t extent;
    int64_t stride;  // bytes
  };
  // An index array (int64, checked, broadcast to the index shape) and the axis
  // that it indexes.
  struct Part {
    Array index;
    Axis axis;
  };

  // Selects from `a`, viewed with these axes. All indices must be in range, but
  // a GPU leaves out others: they give 0 and change nothing.
  Selection(const Array& a, std::vector<Axis> outer, const Shape& index_shape,
            std::vector<Part> parts, std::vector<Axis> inner);

  // Outer extents, index shape, inner extents.
  const Shape& shape() const { return shape_; }

  // The elements, as a new array.
  Array gather() const;
  // Write or add values, which are broadcast to the shape and cast to the
  // dtype, in order for repeated elements. The target must be writable.
  void scatter_update(const Operand& values, std::string_view operation) const;
  void scatter_add(const Operand& values, std::string_view operation) const;

 private:
  IndexedArgs lower(Array& offsets) const;
  void scatter(const KernelSlot<ScatterFamily::Table>& slot,
               const Operand& values, std::string_view operation) const;

  Array array_;
  std::vector<Axis> outer_;
  Shape index_shape_;
  std::vector<Part> parts_;
  std::vector<Axis> inner_;
  Shape shape_;
};

// The selection of take_along_axis: one index along `axis` for each position of
// the other axes, over which `a` and the indices broadcast. `indices` are int64
// and in range. Refers to the memory of `a`.
Selection select_along_axis(const Array& a, const Array& indices, int axis,
                            std::string_view operation);

}  // namespace catena::array
