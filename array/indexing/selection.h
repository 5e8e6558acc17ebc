#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "catena/array/array.h"
#include "catena/array/take_kernel.h"

namespace catena::array {

// Elements of an array that integer arrays select, in the one form that every
// routine of indexing is brought to:
//
//   element(o, b, i) = base + o . outer + sum_k index_k(b) stride_k + i . inner
//
// o and i run over whole axes before and behind the indexed ones, b over the
// shape that the index arrays broadcast to. take.h's kernels read and write it:
// axes that lie as one block become their bytes, and what remains becomes one
// array of offsets.
class Selection {
 public:
  struct Axis {
    int64_t extent;
    int64_t stride;  // bytes
  };
  // An index array (int64, checked, broadcast to the index shape) and the axis
  // that it runs over.
  struct Part {
    Array index;
    Axis axis;
  };

  // Selects from `a`, seen with these axes. All indices are in range.
  Selection(const Array& a, std::vector<Axis> outer, const Shape& index_shape,
            std::vector<Part> parts, std::vector<Axis> inner);

  // Outer extents, index shape, inner extents.
  const Shape& shape() const { return shape_; }

  // The elements, as a new array.
  Array gather() const;
  // Writes or adds values, which broadcast to the shape and are cast to the
  // dtype; equal places get theirs in order. The target must be writable.
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

// The elements of `a` that the index along one axis selects for each place of
// the other axes, over which `a` and the indices broadcast (take_along_axis).
// `indices` are int64 and in range. `a` keeps its memory.
Selection select_along_axis(const Array& a, const Array& indices, int axis,
                            std::string_view operation);

}  // namespace catena::array
