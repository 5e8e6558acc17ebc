#include "catena/functions/array/spatial_transformer.h"

#include "catena/array/creation.h"
#include "catena/array/error.h"
#include "catena/autograd/function_node.h"
#include "catena/functions/array/internal/image_sampling_ops.h"
#include "catena/functions/array/reshape.h"
#include "catena/functions/engines/spans/sampling.h"
#include "catena/functions/math/matmul.h"

namespace catena::functions {
namespace {

constexpr std::string_view kSampler = "spatial_transformer_sampler";

struct GridSource {
  Array grid;
  Shape images;
  Shape results;

  GridSampling sampling() const {
    return {grid.raw_data(), images[2], images[3], results[2] * results[3]};
  }
};

// Inputs: x, the grid and gy.
class GridGradientNode final : public FunctionNode {
 public:
  std::string_view label() const override { return GridGradient::kName; }

  Arrays forward(const Arrays& in) override {
    const Array x = in[0].contiguous();
    const Array gy = in[2].contiguous();
    const GridSource source{in[1].contiguous(), x.shape(), gy.shape()};
    const Array ggrid = array::empty_like(source.grid);
    const GridSampling sampling = source.sampling();
    const int64_t channels = x.shape()[1];
    run_spans(GridGradient{sampling, channels, x.raw_data(), gy.raw_data(),
                           ggrid.raw_data()},
              x, x.shape()[0], sampling.cells, sampling.cells * channels * 4);
    return {ggrid};
  }

  Variables backward(const Indexes&, const Variables&) override {
    raise<NotImplementedError>(
        kSampler, ": the gradient of the grid cannot be differentiated again");
  }
};

GridSource source_of(const Shape& x, const Array& grid) {
  return {grid.contiguous(), x, {x[0], x[1], grid.shape()[2], grid.shape()[3]}};
}

// The gradient of images: of the grid and gy.
class ImageGradientNode final : public FunctionNode {
 public:
  explicit ImageGradientNode(const Shape& images) : images_(images) {}
  std::string_view label() const override { return GridGradient::kName; }

  Arrays forward(const Arrays& in) override {
    retain_input(0);
    return {Samples<GridSource>{source_of(images_, in[0])}.transposed(in[1])};
  }

  Variables backward(const Indexes& wanted, const Variables& gx) override {
    if (wanted[0] == 0) {
      raise<NotImplementedError>(
          kSampler,
          ": the gradient of the images cannot be differentiated by the grid");
    }
    return {spatial_transformer_sampler(gx[0], retained_input(0))};
  }

 private:
  Shape images_;
};

class Sampler final : public FunctionNode {
 public:
  std::string_view label() const override { return kSampler; }

  void check_type_forward(TypeCheck& in) const override {
    const auto [x, grid] = in.names<2>({"x", "grid"});
    in.expect_floating(x);
    in.expect(grid.dtype() == x.dtype(), x.ndim() == type_check::Term(4),
              grid.ndim() == type_check::Term(4));
    in.expect(grid.shape(0) == x.shape(0),
              grid.shape(1) == type_check::Term(2));
  }

  Arrays forward(const Arrays& in) override {
    retain_inputs({0, 1});
    return {Samples<GridSource>{source_of(in[0].shape(), in[1])}.map(in[0])};
  }

  Variables backward(const Indexes& wanted, const Variables& gys) override {
    Variables gradients;
    for (const int i : wanted) {
      gradients.push_back(
          i == 0 ? catena::apply<ImageGradientNode>({retained_input(1), gys[0]},
                                                    inputs()[0]->shape())
                 : catena::apply<GridGradientNode>(
                       {retained_input(0), retained_input(1), gys[0]}));
    }
    return gradients;
  }
};

}  // namespace

Variable spatial_transformer_grid(const Variable& theta,
                                  const Spatial& output_shape) {
  constexpr std::string_view kName = "spatial_transformer_grid";
  const Shape& shape = theta.shape();
  if (!is_floating(theta.dtype()) || shape.size() != 3 || shape[1] != 2 ||
      shape[2] != 3) {
    raise<InvalidType>(kName, ": expected theta floating (N, 2, 3), got ",
                       theta.dtype(), " ", shape);
  }
  const Shape size = output_shape.on_axes(2, 1, kName, "output_shape");
  const int64_t h = size[0];
  const int64_t w = size[1];
  // Rows of x, y and 1 for all elements.
  const Array positions = array::ones({3, h, w});
  positions[0].assign(array::linspace(-1, 1, w));
  positions[1].assign(array::linspace(-1, 1, h).reshape({h, 1}));
  const Variable grid = matmul(reshape(theta, {2 * shape[0], 3}),
                               as_variable(positions.reshape({3, h * w})
                                               .astype(theta.dtype())
                                               .to_device(theta.device())));
  return reshape(grid, {shape[0], 2, h, w});
}

Variable spatial_transformer_sampler(const Variable& x, const Variable& grid) {
  return apply<Sampler>({x, grid});
}

}  // namespace catena::functions
