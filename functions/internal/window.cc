#include "catena/functions/internal/window.h"

#include "catena/array/core/error.h"

namespace catena::functions {

Window WindowCall::window(int axes) const {
  return {.ksize = ksize.on_axes(axes, 1, function, "ksize"),
          .stride = stride.value_or(ksize).on_axes(axes, 1, function, "stride"),
          .pad = pad.on_axes(axes, 0, function, "pad"),
          .dilate = dilate.on_axes(axes, 1, function, "dilate")};
}

bool is_unpadded_1x1(const Window& window) {
  return size_of(window.ksize) == 1 &&
         window.pad == Shape::filled(window.pad.size(), 0);
}

bool is_pointwise(const Window& window) {
  return is_unpadded_1x1(window) &&
         window.stride == Shape::filled(window.stride.size(), 1);
}

Shape spatial_of(const Shape& shape) {
  return Shape(shape.begin() + 2, static_cast<size_t>(shape.size() - 2));
}

Shape out_size_of(const Shape& size, const Window& window, bool cover_all) {
  Shape out_size;
  for (int i = 0; i < size.size(); ++i) {
    out_size.push_back(get_conv_outsize(size[i], window.ksize[i],
                                        window.stride[i], window.pad[i],
                                        cover_all, window.dilate[i]));
  }
  return out_size;
}

void expect_window_fits(const TypeCheck& in, type_check::Input x,
                        const Window& window, bool cover_all) {
  const Shape size = spatial_of(x.array().shape());
  const Shape out_size = out_size_of(size, window, cover_all);
  for (const int64_t extent : out_size) {
    if (extent > 0) continue;
    in.fail(str("a window of ", window.ksize, " with dilate ", window.dilate,
                " fits into x and its pad ", window.pad),
            str("spatial axes ", size));
  }
}

}  // namespace catena::functions
