#include "catena/functions/pooling/roi_pooling_2d.h"

#include <optional>

#include "catena/array/core/error.h"
#include "catena/array/cuda/fast_divider.h"
#include "catena/array/index.h"
#include "catena/array/reduction/reduce.h"
#include "catena/autograd/function_node.h"
#include "catena/functions/engines/spans/sampling.h"
#include "catena/functions/kinds.h"
#include "catena/functions/pooling/internal/roi_ops.h"

namespace catena::functions {
namespace {

// Checked regions, in the kernels' format.
struct RoiSource {
  Array rois;         // contiguous, of x's dtype
  Array roi_indices;  // undefined if rois contain it
  double scale;
  Shape images;
  Shape results;

  template <class Visit>
  void visit_options(Visit visit) const {
    visit("rois", rois);
    visit("roi_indices", roi_indices);
    visit("outsize", Shape{results[2], results[3]});
    visit("spatial_scale", scale);
  }

  Rois all() const {
    return {
        .boxes = rois.raw_data(),
        .images = roi_indices.defined() ? roi_indices.data<int32_t>() : nullptr,
        .scale = scale,
        .height = images[2],
        .width = images[3],
        .outh = results[2],
        .outw = cuda::IndexDivider(results[3])};
  }
};

struct AverageSource : RoiSource {
  using Kind = kinds::RoiAveragePooling2D;

  RoiAverage sampling() const { return {{all()}}; }
};

struct MaximumSource : RoiSource {
  using Kind = kinds::RoiMaxPooling2D;

  Array positions;
  RoiMaximum sampling() const { return {all(), positions.data<int32_t>()}; }
};

struct AlignSource : RoiSource {
  int64_t grid_h;
  int64_t grid_w;

  template <class Visit>
  void visit_options(Visit visit) const {
    RoiSource::visit_options(visit);
    visit("sampling_ratio",
          grid_h == 0 ? std::optional<Shape>() : Shape{grid_h, grid_w});
  }
  RoiPoints points() const { return {all(), grid_h, grid_w}; }
};

struct AlignAverageSource : AlignSource {
  using Kind = kinds::RoiAverageAlign2D;

  RoiAlignAverage sampling() const { return {points()}; }
};

struct AlignMaximumSource : AlignSource {
  using Kind = kinds::RoiMaxAlign2D;

  Array positions;
  RoiAlignMaximum sampling() const {
    return {points(), positions.data<int32_t>()};
  }
};

void check_images(const Array& numbers, int64_t images,
                  std::string_view function) {
  if (numbers.size() == 0) return;
  const auto min = array::min(numbers).item<double>();
  const auto greatest = array::max(numbers).item<double>();
  if (!(min >= 0 && greatest < static_cast<double>(images))) {
    raise<ValueError>(function, ": expected image indices from 0 to ",
                      images - 1, ", got ", min >= 0 ? greatest : min);
  }
}

RoiSource checked_rois(const Variable& x, const Array& rois,
                       const Array& roi_indices, const Spatial& outsize,
                       double spatial_scale, std::string_view function) {
  const bool is_apart = roi_indices.defined();
  const int64_t numbers = is_apart ? 4 : 5;
  if (!is_floating(x.dtype()) || x.ndim() != 4) {
    raise<InvalidType>(function, ": expected x floating with 4 axes, got ",
                       x.dtype(), " ", x.shape());
  }
  if (rois.ndim() != 2 || rois.shape()[1] != numbers ||
      rois.dtype() != x.dtype() || rois.device() != x.device()) {
    raise<InvalidType>(function, ": expected rois ", x.dtype(), " (R, ",
                       numbers, ") on ", x.device(), ", got ", rois.dtype(),
                       " ", rois.shape(), " on ", rois.device());
  }
  if (is_apart && (roi_indices.dtype() != Dtype::kInt32 ||
                   roi_indices.shape() != Shape{rois.shape()[0]} ||
                   roi_indices.device() != x.device())) {
    raise<InvalidType>(function, ": expected roi_indices int32 (",
                       rois.shape()[0], ",) on ", x.device(), ", got ",
                       roi_indices.dtype(), " ", roi_indices.shape(), " on ",
                       roi_indices.device());
  }
  if (!(spatial_scale > 0)) {
    raise<ValueError>(function, ": expected a positive spatial_scale, got ",
                      spatial_scale);
  }
  const Shape cells = outsize.on_axes(2, 1, function, "outsize");
  // Copies, since backward relies on what is checked here, whatever the caller
  // writes to his arrays meanwhile.
  RoiSource source;
  source.rois = rois.copy();
  if (is_apart) source.roi_indices = roi_indices.copy();
  check_images(is_apart ? source.roi_indices : source.rois[{Slice(), 0}],
               x.shape()[0], function);
  source.scale = spatial_scale;
  source.images = x.shape();
  source.results = {rois.shape()[0], x.shape()[1], cells[0], cells[1]};
  return source;
}

AlignSource with_points(RoiSource source, const RoiAlignOptions& options,
                        std::string_view function) {
  AlignSource result;
  static_cast<RoiSource&>(result) = std::move(source);
  const Shape grid =
      options.sampling_ratio
          ? options.sampling_ratio->on_axes(2, 1, function, "sampling_ratio")
          : Shape{0, 0};
  // Numbers of points are int32.
  if (grid[1] > 0 && grid[0] > INT32_MAX / grid[1]) {
    raise<ValueError>(function,
                      ": expected a sampling_ratio of less than 2^31 "
                      "points, got ",
                      grid);
  }
  result.grid_h = grid[0];
  result.grid_w = grid[1];
  return result;
}

// Finds the maxima with Op, which stores their positions for the gradient.
template <class Op, class Source, class RoisOfOp>
class RoiMaxNode final : public FunctionNode {
 public:
  RoiMaxNode(Source source, const RoisOfOp& rois, std::string_view function)
      : source_(std::move(source)), rois_(rois), function_(function) {}

  std::string_view label() const override { return function_; }
  FunctionDescription description() const override {
    return FunctionDescription::of<typename Source::Kind>(options_of(source_));
  }

  Arrays forward(const Arrays& in) override {
    const Array x = in[0].contiguous();
    const Array y = array::empty(source_.results, x.dtype(), x.device());
    source_.positions =
        array::empty(source_.results, Dtype::kInt32, x.device());
    const SampleGeometry g = geometry_of(source_);
    run_spans(Op{g, rois_, x.raw_data(), y.raw_data(),
                 source_.positions.template data<int32_t>()},
              x, g.results * g.channels, g.cells, g.elements);
    return {y};
  }

  Variables backward(const Indexes&, const Variables& gy) override {
    return {sample_transpose(gy[0], source_)};
  }

 private:
  Source source_;
  RoisOfOp rois_;  // points into the source's arrays
  std::string_view function_;
};

Variable max_pooling_of(const Variable& x, RoiSource rois,
                        std::string_view function) {
  MaximumSource source;
  static_cast<RoiSource&>(source) = std::move(rois);
  const RoiBins bins{source.all()};
  return apply<RoiMaxNode<RoiMaxOp, MaximumSource, RoiBins>>(
      {x}, std::move(source), bins, function);
}

}  // namespace

Variable roi_max_pooling_2d(const Variable& x, const Array& rois,
                            const Array& roi_indices, const Spatial& outsize,
                            double spatial_scale) {
  constexpr std::string_view kName = "roi_max_pooling_2d";
  return max_pooling_of(
      x, checked_rois(x, rois, roi_indices, outsize, spatial_scale, kName),
      kName);
}

Variable roi_average_pooling_2d(const Variable& x, const Array& rois,
                                const Array& roi_indices,
                                const Spatial& outsize, double spatial_scale) {
  AverageSource source;
  static_cast<RoiSource&>(source) = checked_rois(
      x, rois, roi_indices, outsize, spatial_scale, "roi_average_pooling_2d");
  return sample(x, source);
}

Variable roi_pooling_2d(const Variable& x, const Array& rois, int64_t outh,
                        int64_t outw, double spatial_scale) {
  constexpr std::string_view kName = "roi_pooling_2d";
  return max_pooling_of(
      x, checked_rois(x, rois, Array(), {outh, outw}, spatial_scale, kName),
      kName);
}

Variable roi_average_align_2d(const Variable& x, const Array& rois,
                              const Array& roi_indices, const Spatial& outsize,
                              double spatial_scale,
                              const RoiAlignOptions& options) {
  constexpr std::string_view kName = "roi_average_align_2d";
  AlignAverageSource source;
  static_cast<AlignSource&>(source) = with_points(
      checked_rois(x, rois, roi_indices, outsize, spatial_scale, kName),
      options, kName);
  return sample(x, source);
}

Variable roi_max_align_2d(const Variable& x, const Array& rois,
                          const Array& roi_indices, const Spatial& outsize,
                          double spatial_scale,
                          const RoiAlignOptions& options) {
  constexpr std::string_view kName = "roi_max_align_2d";
  AlignMaximumSource source;
  static_cast<AlignSource&>(source) = with_points(
      checked_rois(x, rois, roi_indices, outsize, spatial_scale, kName),
      options, kName);
  const RoiPoints points = source.points();
  return apply<RoiMaxNode<RoiAlignMaxOp, AlignMaximumSource, RoiPoints>>(
      {x}, std::move(source), points, kName);
}

}  // namespace catena::functions
