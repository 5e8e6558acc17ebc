#include "catena/functions/array/im2col.h"

#include "catena/functions/array/internal/columns.h"
#include "catena/functions/array/internal/linear_map.h"
#include "catena/functions/internal/window.h"

namespace catena::functions {
namespace {

struct Im2col {
  static constexpr std::string_view kLabel = "im2col";

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
  const auto on_axes = [](const Spatial& sizes, int64_t min,
                          std::string_view argument) {
    return sizes.on_axes(2, min, Im2col::kLabel, argument);
  };
  const Window window = {.ksize = on_axes(ksize, 1, "ksize"),
                         .stride = on_axes(options.stride, 1, "stride"),
                         .pad = on_axes(options.pad, 0, "pad"),
                         .dilate = on_axes(options.dilate, 1, "dilate")};
  return apply_linear(x, Im2col{window, options.cover_all});
}

}  // namespace catena::functions
