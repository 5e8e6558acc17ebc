#include "catena/functions/array/moveaxis.h"

#include "catena/array/manipulation/axes.h"
#include "catena/functions/axes.h"
#include "catena/functions/internal/linear_map.h"
#include "catena/functions/kinds.h"

namespace catena::functions {
namespace {

struct Moveaxis {
  static constexpr std::string_view kLabel = "moveaxis";
  using Kind = kinds::Moveaxis;
  Axes source;
  Axes destination;

  template <class Visit>
  void visit_options(Visit visit) const {
    visit("source", source);
    visit("destination", destination);
  }
  void check(const TypeCheck& in, type_check::Input x) const {
    expect_axes(in, x, source);
    expect_axes(in, x, destination);
  }
  Array map(const Array& x) const {
    return array::moveaxis(x, source, destination);
  }
  Array transposed(const Array& gy, const ArrayForm&) const {
    return array::moveaxis(gy, destination, source);
  }
};

}  // namespace

Variable moveaxis(const Variable& x, const Axes& source,
                  const Axes& destination) {
  return apply_linear(x, Moveaxis{source, destination});
}

}  // namespace catena::functions
