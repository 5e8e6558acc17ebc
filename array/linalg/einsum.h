#pragma once

#include <initializer_list>
#include <span>
#include <string_view>

#include "catena/array/array.h"

namespace catena::array {

// Einstein's summation, NumPy's einsum:
//
//   einsum("ij,jk->ik", {a, b})      a @ b
//   einsum("...ij->...ji", {a})      the last two axes swapped
//   einsum("ii", {a})                the trace
//   einsum("bqd,bkd->bqk", {q, k})   a product for every b
//
// Each operand has one letter (a-z, A-Z) per axis; "..." stands for the
// remaining axes, which broadcast. Axes with the same letter are multiplied
// elementwise; letters not after "->" are summed over. A letter repeated in one
// operand takes the diagonal. Without "->" the result has the axes of "...",
// then the letters that occur once in alphabetical order (capitals first).
// Spaces are ignored.
//
// Operands are promoted to one dtype, that of the result (logical and, or for
// bool). Axes of extent 1 broadcast. More than two operands are combined in
// pairs, first the pair whose product saves the most memory, by (batched)
// matrix products where two share a summed letter. The result may be
// non-contiguous, and is a view of a single operand if nothing is summed.
//
// Throws ValueError for invalid subscripts, a letter after "->" that no operand
// has or that is repeated, or a wrong number of operands; ShapeError for a
// mismatched number of axes or extents; DeviceError.
Array einsum(std::string_view subscripts, std::span<const Array> operands);
inline Array einsum(std::string_view subscripts,
                    std::initializer_list<Array> operands) {
  return einsum(subscripts, std::span(operands.begin(), operands.size()));
}

}  // namespace catena::array
