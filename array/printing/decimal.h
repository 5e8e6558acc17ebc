#pragma once

#include <limits>
#include <string>

#include "catena/array/core/dtype.h"

namespace catena::array {

// The digits of a finite number without its sign.
struct Decimal {
  std::string integer;   // before the point, never empty
  std::string fraction;  // after it
  int exponent = 0;      // of ten; 0 in positional notation
};

// The number of digits after the point. If min >= 0, the digits before the
// point are exact; below 0, digits not needed to identify the number are zeros.
struct FractionDigits {
  int min = std::numeric_limits<int>::min();
  int max = std::numeric_limits<int>::max();
};

// |value| of floating dtype `dtype`, in the fewest digits that distinguish it
// from its neighbours in that dtype. If `digits` requires more or fewer, it is
// correctly rounded (half to even) from the exact value.
Decimal positional_decimal(double value, Dtype dtype, FractionDigits digits);

// |value| in scientific notation: one digit before the point (0 for zero).
Decimal scientific_decimal(double value, Dtype dtype, FractionDigits digits);

void remove_trailing_zeros(Decimal& decimal);

}  // namespace catena::array
