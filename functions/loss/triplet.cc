#include "catena/functions/loss/triplet.h"

#include "catena/array/core/error.h"
#include "catena/functions/activation/relu.h"
#include "catena/functions/loss/internal/reduce_option.h"
#include "catena/functions/loss/internal/row_distance.h"
#include "catena/functions/loss/internal/same_shape.h"
#include "catena/functions/math/average.h"
#include "catena/functions/math/operators.h"

namespace catena::functions {

Variable triplet(const Variable& anchor, const Variable& positive,
                 const Variable& negative, const TripletOptions& options) {
  const bool mean = is_mean(options.reduce, "triplet");
  if (!(options.margin > 0)) {
    raise<ValueError>("triplet: expected a positive margin, got ",
                      options.margin);
  }
  constexpr std::string_view kNames[] = {"anchor", "positive", "negative"};
  check_same_shape("triplet", {anchor, positive, negative}, kNames,
                   /*ndim=*/2);
  const Variable losses =
      relu(squared_row_distance(anchor, positive) -
           squared_row_distance(anchor, negative) + options.margin);
  return mean ? average(losses) : losses;
}

}  // namespace catena::functions
