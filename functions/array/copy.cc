#include "catena/functions/array/copy.h"

#include "catena/functions/internal/linear_map.h"
#include "catena/functions/kinds.h"

namespace catena::functions {
namespace {

struct Copy {
  static constexpr std::string_view kLabel = "copy";
  using Kind = kinds::Copy;
  Device device;

  template <class Visit>
  void visit_options(Visit visit) const {
    visit("dst", device);
  }
  void check(const TypeCheck&, type_check::Input) const {}
  Array map(const Array& x) const { return x.to_device(device); }
  Array transposed(const Array& gy, const ArrayForm& x) const {
    return gy.to_device(x.device);
  }
};

}  // namespace

Variable copy(const Variable& x, Device dst) {
  return apply_linear(x, Copy{dst});
}

}  // namespace catena::functions
