#include "catena/functions/array/im2col.h"

#include "catena/autograd/function_node.h"
#include "catena/functions/array/columns.h"
#include "catena/functions/window.h"

namespace catena::functions {
namespace {

class Im2col final : public FunctionNode {
 public:
  Im2col(const Window& window, bool cover_all)
      : window_(window), cover_all_(cover_all) {}

  std::string_view label() const override { return "im2col"; }

  void check_type_forward(TypeCheck& in) const override {
    const auto [x] = in.names<1>({"x"});
    in.expect_floating(x);
    in.expect(x.ndim() == type_check::Term(4));
    expect_window_fits(in, x, window_, cover_all_);
  }

  Arrays forward(const Arrays& in) override {
    const Shape size = spatial_of(in[0].shape());
    return {image_to_columns(in[0], window_,
                             out_size_of(size, window_, cover_all_))};
  }

  Variables backward(const Indexes& wanted, const Variables& gy) override;

 private:
  Window window_;
  bool cover_all_;
};

class Col2im final : public FunctionNode {
 public:
  Col2im(const Window& window, bool cover_all, const Shape& size)
      : window_(window), cover_all_(cover_all), size_(size) {}

  std::string_view label() const override { return "col2im"; }

  Arrays forward(const Arrays& in) override {
    return {columns_to_image(in[0], window_, size_)};
  }

  Variables backward(const Indexes&, const Variables& gy) override {
    return {catena::apply<Im2col>({gy[0]}, window_, cover_all_)};
  }

 private:
  Window window_;
  bool cover_all_;
  Shape size_;
};

Variables Im2col::backward(const Indexes&, const Variables& gy) {
  return {catena::apply<Col2im>({gy[0]}, window_, cover_all_,
                                spatial_of(inputs()[0]->shape()))};
}

}  // namespace

Variable im2col(const Variable& x, const Spatial& ksize,
                const Im2colOptions& options) {
  constexpr std::string_view kName = "im2col";
  const Window window = {
      .ksize = ksize.on_axes(2, 1, kName, "ksize"),
      .stride = options.stride.on_axes(2, 1, kName, "stride"),
      .pad = options.pad.on_axes(2, 0, kName, "pad"),
      .dilate = options.dilate.on_axes(2, 1, kName, "dilate")};
  return apply<Im2col>({x}, window, options.cover_all);
}

}  // namespace catena::functions
