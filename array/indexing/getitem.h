#pragma once

#include <cstdint>
#include <initializer_list>
#include <span>

#include "catena/array/array.h"
#include "catena/array/index.h"

// NumPy's advanced indexing: index arrays of integers and boolean masks among
// integers, slices, newaxis and ellipsis.
//
//   getitem(a, {mask})                      // a[mask]
//   getitem(a, {rows, Slice(), columns})    // a[rows, :, columns]
//   setitem(a, {ellipsis, rows}, 0)         // a[..., rows] = 0
//   add_at(a, {rows, columns}, values)      // np.add.at(a, (rows, columns),
//                                           //           values)
//
// The index arrays broadcast against each other; integers beside them count as
// 0-d arrays, and a mask with m axes as the m arrays of nonzero(mask). The axes
// of what they broadcast to replace the indexed ones when those stand side by
// side in the index, and come first when a slice, newaxis or ellipsis stands
// between them.
//
// All throw IndexError naming index, axis and extent for an index that is out
// of range, or for a mask of another shape than the axes it stands for, or too
// many indexes; ShapeError when index arrays do not broadcast, DtypeError for
// index arrays that are neither integers nor bool, DeviceError. Nothing has
// been written then. The check waits for the device.
namespace catena {

// One element of an index that may have arrays in it.
class AdvancedIndex {
 public:
  AdvancedIndex(const Array& array) : array_(array), basic_(0) {}
  template <std::integral T>
  AdvancedIndex(T integer) : basic_(integer) {}
  AdvancedIndex(const Index& basic) : basic_(basic) {}
  AdvancedIndex(const Slice& slice) : basic_(slice) {}
  AdvancedIndex(NewAxis) : basic_(newaxis) {}
  AdvancedIndex(Ellipsis) : basic_(ellipsis) {}

  bool is_array() const { return array_.defined(); }
  const Array& array() const { return array_; }
  const Index& basic() const { return basic_; }

 private:
  Array array_;
  Index basic_;
};

namespace array {

// a[indexes]: a new array, or the view of basic indexing without index arrays.
Array getitem(const Array& a, std::span<const AdvancedIndex> indexes);
inline Array getitem(const Array& a,
                     std::initializer_list<AdvancedIndex> indexes) {
  return getitem(a, std::span(indexes.begin(), indexes.size()));
}

// a[indexes] = values, which broadcast to the shape of getitem(a, indexes) and
// are cast to a's dtype. Of values for one element the last remains.
// ShapeError; ValueError when `a` is a broadcast view.
void setitem(const Array& a, std::span<const AdvancedIndex> indexes,
             const Operand& values);
inline void setitem(const Array& a,
                    std::initializer_list<AdvancedIndex> indexes,
                    const Operand& values) {
  setitem(a, std::span(indexes.begin(), indexes.size()), values);
}

// a[indexes] += values, where an element that is selected n times receives n
// values, in their order on every device (NumPy's add.at). 16-bit floats are
// summed in float32.
void add_at(const Array& a, std::span<const AdvancedIndex> indexes,
            const Operand& values);
inline void add_at(const Array& a, std::initializer_list<AdvancedIndex> indexes,
                   const Operand& values) {
  add_at(a, std::span(indexes.begin(), indexes.size()), values);
}

}  // namespace array
}  // namespace catena
