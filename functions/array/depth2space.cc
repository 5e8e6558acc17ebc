#include "catena/functions/array/depth2space.h"

#include "catena/functions/array/internal/pixel_blocks.h"
#include "catena/functions/internal/linear_map.h"
#include "catena/functions/kinds.h"

namespace catena::functions {
namespace {

struct Depth2Space {
  static constexpr std::string_view kLabel = "depth2space";
  using Kind = kinds::Depth2Space;
  int64_t r;

  template <class Visit>
  void visit_options(Visit visit) const {
    visit("r", r);
  }
  void check(const TypeCheck& in, type_check::Input x) const {
    const type_check::Term block = type_check::make_variable(r, "r");
    in.expect_floating(x);
    in.expect(x.ndim() == 4);
    in.expect(x.shape(1) % (block * block) == 0);
  }
  Array map(const Array& x) const { return blocks_from_channels(x, r); }
  Array transposed(const Array& gy, const ArrayForm&) const {
    return channels_from_blocks(gy, r);
  }
};

}  // namespace

Variable depth2space(const Variable& X, int64_t r) {
  check_block(Depth2Space::kLabel, r);
  return apply_linear(X, Depth2Space{r});
}

}  // namespace catena::functions
