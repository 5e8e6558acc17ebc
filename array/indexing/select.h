#pragma once

#include <optional>
#include <span>

#include "catena/array/array.h"
#include "catena/array/take.h"

// Elements chosen by conditions.
namespace catena::array {

// The slices of `a` along `axis` at which `condition`, one-dimensional and at
// most as long as the axis, is not 0; of the flattened array without an axis.
// ShapeError, IndexError, DeviceError.
Array compress(const Array& condition, const Array& a,
               std::optional<int64_t> axis = std::nullopt);

// The elements of a.ravel() where condition.ravel() is not 0.
Array extract(const Array& condition, const Array& a);

// Sets the elements of `a` where `mask`, of the same size, is not 0 to the
// values in turn, from the start again after the last; they are cast to a's
// dtype. ShapeError, ValueError when there are places but no values or `a` is a
// broadcast view.
void place(const Array& a, const Array& mask, const Operand& values);

// result[i] = choices[index[i]][i], everything broadcast; of the dtype that the
// choices promote to. Under kRaise, the default, IndexError names an index
// outside [0, choices). ValueError without choices, DtypeError unless the
// indices are integers or bool, ShapeError.
Array choose(const Array& index, std::span<const Array> choices,
             const TakeOptions& options = {});
inline Array choose(const Array& index, std::initializer_list<Array> choices,
                    const TakeOptions& options = {}) {
  return choose(index, std::span(choices.begin(), choices.size()), options);
}

// For each element the choice that belongs to the first condition (bool) that
// holds, else the default; everything broadcast, of the dtype that choices and
// default promote to. ValueError unless there is a choice for each condition
// and at least one, DtypeError for conditions that are not bool.
Array select(std::span<const Array> conditions, std::span<const Array> choices,
             const Operand& otherwise = 0);
inline Array select(std::initializer_list<Array> conditions,
                    std::initializer_list<Array> choices,
                    const Operand& otherwise = 0) {
  return select(std::span(conditions.begin(), conditions.size()),
                std::span(choices.begin(), choices.size()), otherwise);
}

}  // namespace catena::array
