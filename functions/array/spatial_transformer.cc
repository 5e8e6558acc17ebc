#include "catena/functions/array/spatial_transformer.h"

#include <vector>

#include "catena/array/core/error.h"
#include "catena/array/creation.h"
#include "catena/array/index.h"
#include "catena/array/linalg/matmul.h"
#include "catena/array/ufunc/ufunc.h"
#include "catena/autograd/config.h"
#include "catena/autograd/function_node.h"
#include "catena/functions/array/cast.h"
#include "catena/functions/array/concat.h"
#include "catena/functions/array/get_item.h"
#include "catena/functions/array/internal/image_sampling_ops.h"
#include "catena/functions/array/pad.h"
#include "catena/functions/array/reshape.h"
#include "catena/functions/array/transpose.h"
#include "catena/functions/array/where.h"
#include "catena/functions/engines/elementwise/traced.h"
#include "catena/functions/engines/spans/sampling.h"
#include "catena/functions/internal/broadcasting.h"
#include "catena/functions/internal/linear_map.h"
#include "catena/functions/kinds.h"

namespace catena::functions {
namespace {

constexpr std::string_view kSampler = "spatial_transformer_sampler";

// A grid of affine maps: theta (N, 2, 3) by the positions (3, h w) of elements.
struct Grid {
  static constexpr std::string_view kLabel = "spatial_transformer_grid";
  using Kind = kinds::SpatialTransformerGrid;

  Shape output_shape;
  Array positions;

  template <class Visit>
  void visit_options(Visit visit) const {
    visit("output_shape", output_shape);
  }
  void check(const TypeCheck&, type_check::Input) const {}
  Array map(const Array& theta) const {
    const int64_t n = theta.shape()[0];
    return array::matmul(theta.reshape({2 * n, 3}), positions)
        .reshape({n, 2, output_shape[0], output_shape[1]});
  }
  Array transposed(const Array& gy, const ArrayForm& theta) const {
    const Array rows = gy.reshape({2 * theta.shape[0], positions.shape()[1]});
    return array::matmul(rows, positions.T()).reshape(theta.shape);
  }
};

struct GridSource {
  using Kind = kinds::SpatialTransformerSampler;

  Array grid;
  Shape images;
  Shape results;

  GridSampling sampling() const {
    return {grid.raw_data(), images[2], images[3], results[2] * results[3]};
  }
};

GridSource source_of(const Shape& x, const Array& grid) {
  return {grid.contiguous(), x, {x[0], x[1], grid.shape()[2], grid.shape()[3]}};
}

Array gradient_of_grid(const Array& images, const Array& grid, const Array& g) {
  const Array x = images.contiguous();
  const Array gy = g.contiguous();
  const GridSource source = source_of(x.shape(), grid);
  Array ggrid = array::empty_like(source.grid);
  const GridSampling sampling = source.sampling();
  const int64_t channels = x.shape()[1];
  run_spans(GridGradient{sampling, channels, x.raw_data(), gy.raw_data(),
                         ggrid.raw_data()},
            x, x.shape()[0], sampling.cells, sampling.cells * channels * 4);
  return ggrid;
}

// What GridPosition computes, for all cells and of differentiable functions:
// the first or second coordinate of a grid (N, 2, cells), relative to images
// that extend so far along it.
struct Positions {
  Positions(const Variable& grid, int64_t coordinate, int64_t extent)
      : scale(static_cast<double>(extent - 1) / 2) {
    const Shape shape{grid.shape()[0], grid.shape()[2], 1};
    const Traced x(reshape(get_item(grid, {Slice(), coordinate}), shape));
    const auto limit = static_cast<double>(extent);
    const Array position = (x.variable().data() + 1) * scale;
    is_inside = array::logical_and(array::greater_equal(position, -1),
                                   array::less_equal(position, limit));
    const Array held = array::where(array::isnan(position), -1,
                                    array::clip(position, -1, limit));
    const Array floor = array::minimum(array::floor(held), limit - 1);
    low = floor.astype(Dtype::kInt64);
    const Traced offset =
        (x + Traced(1)) * Traced(scale) - Traced(as_variable(floor));
    weight = where(is_inside, offset.variable(), as_variable(held - floor));
  }

  // All (N, cells, 1).
  Array is_inside;  // within the border of zeros; else there is no gradient
  Array low;        // from -1 to the extent - 1
  Variable weight;  // of the next element
  double scale;     // derivative of the position
};

// gradient_of_grid of differentiable functions, for a recorded backward pass.
Variable recorded_gradient_of_grid(const Variable& images, const Variable& grid,
                                   const Variable& g) {
  const Dtype dtype =
      grid.dtype() == Dtype::kFloat64 ? Dtype::kFloat64 : Dtype::kFloat32;
  const Shape& x = images.shape();
  const int64_t channels = x[1];
  const int64_t cells = grid.shape()[2] * grid.shape()[3];
  const Variable flat = reshape(cast(grid, dtype), {x[0], 2, cells});
  const Positions u(flat, 0, x[3]);
  const Positions v(flat, 1, x[2]);

  // One row of channels for each element, with a border of zeros.
  const int64_t width = x[3] + 2;
  const int64_t elements = (x[2] + 2) * width;
  const std::vector<array::PadWidth> border = {{0, 0}, {0, 0}, {1, 1}, {1, 1}};
  const Variable rows =
      reshape(transpose(pad(cast(images, dtype), border), {0, 2, 3, 1}),
              {x[0] * elements, channels});
  const Array first =
      ((v.low + 1) * width + u.low + 1).squeeze({2}) +
      array::arange(x[0], Dtype::kInt64, images.device()).expand_dims(1) *
          elements;
  const auto at = [&](int64_t row, int64_t column) {
    return Traced(get_item(rows, first + (row * width + column), 0));
  };
  const Traced a = at(0, 0);
  const Traced b = at(0, 1);
  const Traced d = at(1, 0);
  const Traced e = at(1, 1);

  const Traced gy(
      transpose(reshape(cast(g, dtype), {x[0], channels, cells}), {0, 2, 1}));
  const auto along = [&](const Positions& axis, const Traced& slope) {
    const Variable sums = summed_to((gy * slope).variable(), {x[0], cells, 1});
    return where(axis.is_inside, (Traced(sums) * Traced(axis.scale)).variable(),
                 0);
  };
  const Traced of_u(u.weight);
  const Traced of_v(v.weight);
  const Variable gu = along(u, (Traced(1) - of_v) * (b - a) + of_v * (e - d));
  const Variable gv = along(v, (Traced(1) - of_u) * (d - a) + of_u * (e - b));
  const Variable ggrid = transpose(concat({gu, gv}, 2), {0, 2, 1});
  return cast(reshape(ggrid, grid.shape()), grid.dtype());
}

Variable grid_gradient(const Variable& x, const Variable& grid,
                       const Variable& gy) {
  if (config().enable_backprop) return recorded_gradient_of_grid(x, grid, gy);
  return as_variable(gradient_of_grid(x.data(), grid.data(), gy.data()));
}

// The gradient of images: of the grid and gy.
class ImageGradientNode final : public FunctionNode {
 public:
  explicit ImageGradientNode(const Shape& images) : images_(images) {}
  std::string_view label() const override { return GridGradient::kName; }
  FunctionDescription description() const override {
    return FunctionDescription::of<
        kinds::GradientOf<kinds::SpatialTransformerSampler>>(
        {{"images", images_}});
  }

  Arrays forward(const Arrays& in) override {
    retain_inputs({0, 1});
    return {Samples<GridSource>{source_of(images_, in[0])}.transposed(in[1])};
  }

  // <gx, the gradient of images> is <sampled gx, gy>.
  Variables backward(const Indexes& wanted, const Variables& gx) override {
    Variables gradients;
    for (const int i : wanted) {
      gradients.push_back(
          i == 0 ? grid_gradient(gx[0], retained_input(0), retained_input(1))
                 : spatial_transformer_sampler(gx[0], retained_input(0)));
    }
    return gradients;
  }

 private:
  Shape images_;
};

class Sampler final : public FunctionNode {
 public:
  std::string_view label() const override { return kSampler; }
  FunctionDescription description() const override {
    return FunctionDescription::of<kinds::SpatialTransformerSampler>();
  }

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
                 : grid_gradient(retained_input(0), retained_input(1), gys[0]));
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
  return apply_linear(theta, Grid{size, positions.reshape({3, h * w})
                                            .astype(theta.dtype())
                                            .to_device(theta.device())});
}

Variable spatial_transformer_sampler(const Variable& x, const Variable& grid) {
  return apply<Sampler>({x, grid});
}

}  // namespace catena::functions
