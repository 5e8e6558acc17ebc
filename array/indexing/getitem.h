#pragma once

#include <cstdint>
#include <initializer_list>
#include <span>

#include "catena/array/array.h"
#include "catena/array/index.h"

// NumPy's advanced indexing: integer index arrays and boolean masks, mixed with
// integers, slices, newaxis and ellipsis.
//
//   getitem(a, {mask})                      // a[mask]
//   getitem(a, {rows, Slice(), columns})    // a[rows, :, columns]
//   setitem(a, {ellipsis, rows}, 0)         // a[..., rows] = 0
//   add_at(a, {rows, columns}, values)      // np.add.at(a, (rows, columns),
//                                           //           values)
//
// The index arrays broadcast against each other; integers count as 0-d index
// arrays, and a mask with m axes as the m arrays of nonzero(mask). The
// broadcast axes replace the indexed axes if the index arrays are adjacent, and
// come first if a slice, newaxis or ellipsis separates them.
//
// All throw IndexError for an index out of range (naming index, axis and
// extent), a mask whose shape differs from the axes it indexes, or too many
// indices; ShapeError when index arrays do not broadcast; DtypeError for index
// arrays that are neither integers nor bool; DeviceError. Nothing is written
// before the check, but a GPU finds an index out of range while it works: it
// reads 0 there and writes nothing, and the host throws when it next waits for
// the device. Masks have the host wait, to know how many elements they select.
namespace catena {

// One element of an index that may contain arrays.
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

// a[indexes]: a new array or, without index arrays, a view as in basic
// indexing.
Array getitem(const Array& a, std::span<const AdvancedIndex> indexes);
inline Array getitem(const Array& a,
                     std::initializer_list<AdvancedIndex> indexes) {
  return getitem(a, std::span(indexes.begin(), indexes.size()));
}

// a[indexes] = values, which broadcast to the shape of getitem(a, indexes) and
// are cast to a's dtype. For a repeated element the last value wins. Throws
// ShapeError, and ValueError when `a` is a broadcast view.
void setitem(const Array& a, std::span<const AdvancedIndex> indexes,
             const Operand& values);
inline void setitem(const Array& a,
                    std::initializer_list<AdvancedIndex> indexes,
                    const Operand& values) {
  setitem(a, std::span(indexes.begin(), indexes.size()), values);
}

// a[indexes] += values (NumPy's add.at): an element selected n times receives n
// values, in order on every device. 16-bit floats are summed in float32.
void add_at(const Array& a, std::span<const AdvancedIndex> indexes,
            const Operand& values);
inline void add_at(const Array& a, std::initializer_list<AdvancedIndex> indexes,
                   const Operand& values) {
  add_at(a, std::span(indexes.begin(), indexes.size()), values);
}

}  // namespace array
}  // namespace catena
