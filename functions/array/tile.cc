#include "catena/functions/array/tile.h"

#include "catena/array/manipulation/repeat.h"
#include "catena/array/reduction/reduce.h"
#include "catena/functions/internal/linear_map.h"
#include "catena/functions/kinds.h"

namespace catena::functions {
namespace {

struct Tile {
  static constexpr std::string_view kLabel = "tile";
  using Kind = kinds::Tile;
  Shape reps;

  template <class Visit>
  void visit_options(Visit visit) const {
    visit("reps", reps);
  }
  void check(const TypeCheck&, type_check::Input) const {}
  Array map(const Array& x) const { return array::tile(x, reps); }
  Array transposed(const Array& gy, const ArrayForm& x) const {
    // Tiles one axis at a time, viewed as (before, times, extent and after).
    Array sum = gy;
    const int added = gy.ndim() - x.shape.ndim();
    int64_t before = 1;
    for (int i = 0; i < gy.ndim(); ++i) {
      const int64_t extent = i < added ? 1 : x.shape[i - added];
      const int place = i - (gy.ndim() - reps.ndim());
      const int64_t times = place < 0 ? 1 : reps[place];
      if (times != 1) {
        int64_t rest = extent;
        for (int j = i + 1; j < gy.ndim(); ++j) rest *= gy.shape()[j];
        sum = array::sum(sum.reshape({before, times, rest}),
                         {.axis = 1, .dtype = x.dtype});
      }
      before *= extent;
    }
    return sum.reshape(x.shape);
  }
};

}  // namespace

Variable tile(const Variable& x, const Shape& reps) {
  return apply_linear(x, Tile{reps});
}

}  // namespace catena::functions
