#pragma once

#include <cstdint>
#include <optional>

#include "catena/array/array.h"
#include "catena/array/random.h"

// Drawing from given values: with and without replacement, evenly or with given
// probabilities. Each routine draws from the generator that it is given, or
// else from that of the current device or of the array's.
namespace catena::array::random {

// Draws i with probability p[i] in constant time, by the alias method (A. J.
// Walker, 1977; tables as of M. D. Vose, 1991): a table has a column for each
// i, which holds i up to a threshold and one other number, its alias, above.
class WalkerAlias {
 public:
  // `probs` has one dimension and any dtype; it is divided by its sum.
  // ShapeError, ValueError unless there are elements, none is negative or not
  // finite, and one is positive.
  explicit WalkerAlias(const Array& probs);

  int64_t size() const { return thresholds_.size(); }
  Device device() const { return thresholds_.device(); }

  // int32 numbers in [0, size()). ShapeError, DeviceError unless the generator
  // is of the tables' device.
  Array sample(const Shape& shape) const;
  Array sample(const Shape& shape, Generator& generator) const;

  // Moves the tables. DeviceError.
  WalkerAlias& to_device(Device device);

 private:
  Array thresholds_;  // float64
  Array aliases_;     // int32
};

struct ChoiceOptions {
  bool replace = true;
  // The probability of each value, one dimension; even ones when undefined.
  Array p = Array();
};

// int64 numbers drawn from 0, ..., n - 1. Without replacement they come in the
// order of drawing, each drawn by the probabilities of those left.
// ValueError unless n >= 1 (or no number is drawn), p adds up to 1 within 1e-6
// and has no negative element and, without replacement, there are enough values
// of positive probability; ShapeError unless p has n elements.
Array choice(int64_t n, const Shape& shape, const ChoiceOptions& options = {});
Array choice(int64_t n, const Shape& shape, const ChoiceOptions& options,
             Generator& generator);
// Elements of `a`, which has one dimension. ShapeError, and the above.
Array choice(const Array& a, const Shape& shape,
             const ChoiceOptions& options = {});
Array choice(const Array& a, const Shape& shape, const ChoiceOptions& options,
             Generator& generator);

// `a` with its elements along the first axis in random order. ShapeError for a
// 0-d array.
Array permutation(const Array& a);
Array permutation(const Array& a, Generator& generator);
// The same in place; ValueError for a broadcast view.
void shuffle(const Array& a);
void shuffle(const Array& a, Generator& generator);

}  // namespace catena::array::random
