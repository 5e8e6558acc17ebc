#pragma once

#include <cstdint>
#include <optional>

#include "catena/array/array.h"
#include "catena/array/random/random.h"

// Sampling from given values, with and without replacement, uniformly or with
// given probabilities. Without a `generator`, routines use that of the array's
// device, else of the current device.
namespace catena::array::random {

// Draws i with probability p[i] in constant time, by the alias method (A. J.
// Walker, 1977; tables as of M. D. Vose, 1991): a table has a column for each
// i, which gives i below a threshold and one other value, its alias, above.
class WalkerAlias {
 public:
  // `probs` is 1-d, of any dtype, and is divided by its sum. Throws ShapeError,
  // and ValueError when it is empty, has a negative or non-finite element or no
  // positive one.
  explicit WalkerAlias(const Array& probs);

  int64_t size() const { return thresholds_.size(); }
  Device device() const { return thresholds_.device(); }

  // int32 values in [0, size()). Throws ShapeError, and DeviceError unless the
  // generator is on the tables' device.
  Array sample(const Shape& shape) const;
  Array sample(const Shape& shape, Generator& generator) const;

  // Moves the tables to `device`. Throws DeviceError.
  WalkerAlias& to_device(Device device);

 private:
  Array thresholds_;  // float64
  Array aliases_;     // int32
};

struct ChoiceOptions {
  NamedFieldsOnly keywords = {};
  bool replace = true;
  // The probability of each value, 1-d; uniform if undefined.
  Array p = Array();
};

// int64 values drawn from 0, ..., n - 1, in the order of drawing. Without
// replacement, each is drawn by the probabilities of the remaining values.
// Throws ValueError unless n >= 1 (or nothing is drawn), p has no negative
// element and sums to 1 within 1e-6 and, without replacement, enough values
// have positive probability; ShapeError unless p has n elements.
Array choice(int64_t n, const Shape& shape, const ChoiceOptions& options = {});
Array choice(int64_t n, const Shape& shape, const ChoiceOptions& options,
             Generator& generator);
// Elements of the 1-d array `a`. Throws ShapeError, and as above.
Array choice(const Array& a, const Shape& shape,
             const ChoiceOptions& options = {});
Array choice(const Array& a, const Shape& shape, const ChoiceOptions& options,
             Generator& generator);

// A copy of `a` shuffled along the first axis. Throws ShapeError for a 0-d
// array.
Array permutation(const Array& a);
Array permutation(const Array& a, Generator& generator);
// Shuffles `a` in place. Also throws ValueError for a broadcast view.
void shuffle(const Array& a);
void shuffle(const Array& a, Generator& generator);

}  // namespace catena::array::random
