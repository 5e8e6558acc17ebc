#include "catena/functions/array/space2depth.h"

#include "catena/functions/array/internal/pixel_blocks.h"
#include "catena/functions/internal/linear_map.h"
#include "catena/functions/kinds.h"

namespace catena::functions {
namespace {

struct Space2Depth {
  static constexpr std::string_view kLabel = "space2depth";
  using Kind = kinds::Space2Depth;
  int64_t r;

  template <class Visit>
  void visit_options(Visit visit) const {
    visit("r", r);
  }
  void check(const TypeCheck& in, type_check::Input x) const {
    const type_check::Term block = type_check::make_variable(r, "r");
    in.expect_floating(x);
    in.expect(x.ndim() == 4);
    in.expect(x.shape(2) % block == 0, x.shape(3) % block == 0);
  }
  Array map(const Array& x) const { return channels_from_blocks(x, r); }
  Array transposed(const Array& gy, const ArrayForm&) const {
    return blocks_from_channels(gy, r);
  }
};

}  // namespace

Variable space2depth(const Variable& X, int64_t r) {
  check_block(Space2Depth::kLabel, r);
  return apply_linear(X, Space2Depth{r});
}

}  // namespace catena::functions
