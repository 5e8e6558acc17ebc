#pragma once

#include <limits>
#include <string>

#include "catena/array/dtype.h"

namespace catena::array {

// The digits of a finite number without its sign.
struct Decimal {
  std::string integer;   // before the point, never empty
  std::string fraction;  // after it
  int exponent = 0;      // of ten; 0 in positional notation
};

// How many digits after the point there may be. With 0 at least, those before
// the point are exact; with fewer, those that are not needed to tell the number
// are zeros.
struct FractionDigits {
  int min = std::numeric_limits<int>::min();
  int max = std::numeric_limits<int>::max();
};

// |value|, a number of floating dtype `dtype`, in as few digits as tell it from
// its neighbours in that dtype; with more digits, or fewer, as `digits` asks,
// then rounded correctly (half to even) from the exact value.
Decimal positional_decimal(double value, Dtype dtype, FractionDigits digits);

// The same in scientific notation: one digit before the point (0 for zero).
Decimal scientific_decimal(double value, Dtype dtype, FractionDigits digits);

void remove_trailing_zeros(Decimal& decimal);

}  // namespace catena::array
