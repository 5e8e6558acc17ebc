#pragma once

#include <algorithm>
#include <cstdint>
#include <string_view>
#include <utility>

#include "catena/array/creation.h"
#include "catena/array/cuda/fast_divider.h"
#include "catena/functions/engines/spans/map_pair.h"
#include "catena/functions/engines/spans/sampling_ops.h"
#include "catena/functions/engines/spans/span_call.h"

// Samplings (sampling_ops.h) of arrays and variables. A source owns what a
// sampling points to:
//
//   struct RoiAverageSource {
//     RoiAverage sampling() const;  // with pointers into arrays it holds
//     Shape images;                 // (N, C, h, w)
//     Shape results;                // (R, C, h', w')
//   };
namespace catena::functions {

template <class Source>
SampleGeometry geometry_of(const Source& source) {
  const Shape& in = source.images;
  const Shape& out = source.results;
  return {
      .channels = in[1],
      .elements = in[2] * in[3],
      .results = out[0],
      .cells = out[2] * out[3],
      .by_channels = cuda::IndexDivider(std::max<int64_t>(in[1], 1)),
      .by_cells = cuda::IndexDivider(std::max<int64_t>(out[2] * out[3], 1))};
}

// y = A x and its transpose.
template <class Source>
struct Samples {
  using Sampling = decltype(std::declval<Source>().sampling());
  static constexpr std::string_view kLabel = Sampling::kName;
  using Kind = typename Source::Kind;

  Source source;

  template <class Visit>
  void visit_options(Visit visit) const {
    source.visit_options(visit);
  }

  Array map(const Array& a) const {
    const Array x = a.contiguous();
    const Array y = array::empty(source.results, x.dtype(), x.device());
    const SampleGeometry g = geometry_of(source);
    run_spans(
        SampleOp<Sampling>{g, source.sampling(), x.raw_data(), y.raw_data()}, x,
        g.results * g.channels, g.cells, 4 * g.cells);
    return y;
  }
  Array transposed(const Array& a) const {
    const Array y = a.contiguous();
    const Dtype computed =
        y.dtype() == Dtype::kFloat64 ? Dtype::kFloat64 : Dtype::kFloat32;
    const Array x = array::zeros(source.images, computed, y.device());
    const SampleGeometry g = geometry_of(source);
    constexpr bool kOwn = Sampling::kOwnImages;
    const int64_t width = kOwn ? g.cells : g.results * g.cells;
    run_spans(SampleTransposeOp<Sampling>{g, source.sampling(), y.raw_data(),
                                          x.raw_data(), x.size()},
              y, kOwn ? g.results * g.channels : g.channels, width, 4 * width);
    return x.astype(y.dtype(), Array::CopyPolicy::kIfNeeded);
  }
};

template <class Source>
Variable sample(const Variable& x, Source source) {
  return apply_pair(x, Samples<Source>{std::move(source)});
}

template <class Source>
Variable sample_transpose(const Variable& y, Source source) {
  return apply_transposed(y, Samples<Source>{std::move(source)});
}

}  // namespace catena::functions
