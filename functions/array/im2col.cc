#include "catena/functions/array/im2col.h"

#include "catena/functions/array/internal/columns.h"
#include "catena/functions/internal/linear_map.h"
#include "catena/functions/internal/window.h"
#include "catena/functions/kinds.h"

namespace catena::functions {
namespace {

struct Im2col {
  static constexpr std::string_view kLabel = "im2col";
  using Kind = kinds::Im2col;

  template <class Visit>
  void visit_options(Visit visit) const {
    visit("ksize", window.ksize);
    visit("stride", window.stride);
    visit("pad", window.pad);
    visit("cover_all", cover_all);
    visit("dilate", window.dilate);
  }
  void check(const TypeCheck& in, type_check::Input x) const {
    in.expect_floating(x);
    in.expect(x.ndim() == type_check::Term(4));
    expect_window_fits(in, x, window, cover_all);
  }
  Array map(const Array& x) const {
    const Shape size = spatial_of(x.shape());
    return image_to_columns(x, window, out_size_of(size, window, cover_all));
  }
  Array transposed(const Array& gy, const ArrayForm& x) const {
    return columns_to_image(gy, window, spatial_of(x.shape));
  }

  Window window;
  bool cover_all;
};

}  // namespace

Variable im2col(const Variable& x, const Spatial& ksize,
                const Im2colOptions& options) {
  const WindowCall call{.function = Im2col::kLabel,
                        .ksize = ksize,
                        .stride = options.stride,
                        .pad = options.pad,
                        .dilate = options.dilate};
  return apply_linear(x, Im2col{call.window(2), options.cover_all});
}

}  // namespace catena::functions
