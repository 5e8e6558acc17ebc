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
// Each operand has a letter (a-z, A-Z) for each axis; "..." stands for the axes
// that are not named, which broadcast. What is equal in letters is multiplied;
// letters that are not behind "->" are summed over. A letter twice in one
// operand takes the diagonal. Without "->" the result has the axes of "...",
// then the letters that occur once, in alphabetical order (capitals first).
// Spaces mean nothing.
//
// Operands are promoted to one dtype, which the result has (bool: "and", "or").
// Axes of extent 1 broadcast. Several operands are combined two at a time, the
// pair first whose product saves the most memory, by (batched) matrix products
// wherever two share a summed letter. The result may be a view: of the operand
// when there is one and nothing is summed, and its axes need not lie in memory
// in their order.
//
// ValueError for a text outside this grammar, a letter behind "->" that no
// operand has or that is there twice, a number of operands that differs from
// the text's; ShapeError for a number of axes or extents that do not fit;
// DeviceError.
Array einsum(std::string_view subscripts, std::span<const Array> operands);
inline Array einsum(std::string_view subscripts,
                    std::initializer_list<Array> operands) {
  return einsum(subscripts, std::span(operands.begin(), operands.size()));
}

}  // namespace catena::array
