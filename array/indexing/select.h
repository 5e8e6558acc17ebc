#pragma once

#include <optional>
#include <span>

#include "catena/array/array.h"
#include "catena/array/axis.h"
#include "catena/array/take.h"

// Selecting elements by conditions.
namespace catena::array {

// The slices of `a` along `axis` where `condition`, 1-d and at most as long as
// the axis, is nonzero. Without an axis `a` is flattened. Throws ShapeError,
// IndexError, DeviceError.
Array compress(const Array& condition, const Array& a,
               const OptionalAxisOption& options = {});
template <class = void>
Array compress(const Array& condition, const Array& a,
               std::optional<Axis> axis) {
  return compress(condition, a, {.axis = axis});
}

// The elements of a.ravel() where condition.ravel() is nonzero.
Array extract(const Array& condition, const Array& a);

// Sets the elements of `a` where `mask`, of the same size, is nonzero to the
// values in turn, repeated cyclically and cast to a's dtype. Throws ShapeError,
// and ValueError when there are elements to set but no values, or `a` is a
// broadcast view.
void place(const Array& a, const Array& mask, const Operand& values);

// result[i] = choices[index[i]][i] with broadcasting; the dtype is the
// promotion of the choices. With kRaise, the default, throws IndexError naming
// an index outside [0, number of choices), on CUDA when the host next waits for
// the device. Throws ValueError without choices,
// DtypeError unless the indices are integers or bool, ShapeError.
Array choose(const Array& index, std::span<const Array> choices,
             const IndexModeOptions& options = {});
inline Array choose(const Array& index, std::initializer_list<Array> choices,
                    const IndexModeOptions& options = {}) {
  return choose(index, std::span(choices.begin(), choices.size()), options);
}

// For each element the choice of the first condition (bool) that is true, else
// `otherwise`, with broadcasting; the dtype is the promotion of choices and
// `otherwise`. Throws ValueError unless there is at least one condition and one
// choice for each, DtypeError for conditions that are not bool.
Array select(std::span<const Array> conditions, std::span<const Array> choices,
             const Operand& otherwise = 0);
inline Array select(std::initializer_list<Array> conditions,
                    std::initializer_list<Array> choices,
                    const Operand& otherwise = 0) {
  return select(std::span(conditions.begin(), conditions.size()),
                std::span(choices.begin(), choices.size()), otherwise);
}

}  // namespace catena::array
