// Links of images: channels, windows and groups.

#include "catena/array/all.h"
#include "catena/links/links.h"
#include "catena/tests/arguments/cases.h"
#include "catena/tests/arguments/small_inputs.h"

namespace catena::testing {
namespace {

using namespace links;  // NOLINT: each line would have it
using functions::Spatial;

// (1, 2, 4, ...), with `ndim` spatial axes.
Variable image(int ndim) {
  Shape shape = Shape::filled(ndim + 2, 4);
  shape[0] = 1;
  shape[1] = 2;
  return variable(shape);
}

// The cases of a link that `make` makes of channels, ksize and options.
template <class Options, class Make>
ArgumentCases convolution(const std::string& name, int ndim, Make make) {
  const auto call = [=](int64_t in, int64_t out, const Spatial& ksize,
                        const Options& options) {
    auto link = make(in, out, ksize, options);
    return link(image(ndim));
  };
  const std::string full = "links::" + name;
  ArgumentCases cases = {
      {full, "in_channels",
       [=](int64_t n) { return call(n, 2, 2, Options()); }},
      {full,
       name == "DepthwiseConvolution2D" ? "channel_multiplier" : "out_channels",
       [=](int64_t n) { return call(2, n, 2, Options()); }},
      {full, "ksize", [=](int64_t n) { return call(2, 2, n, Options()); }},
      {full, "ksize",
       [=](const Shape& sizes) { return call(2, 2, sizes, Options()); }},
      {full, "stride",
       [=](int64_t n) { return call(2, 2, 2, Options{.stride = n}); }},
      {full, "stride",
       [=](const Shape& sizes) {
         return call(2, 2, 2, Options{.stride = sizes});
       }},
  };
  if constexpr (requires { Options().pad; }) {
    cases.push_back({full, "pad", [=](int64_t n) {
                       return call(2, 2, 2, Options{.pad = n});
                     }});
  }
  if constexpr (requires { Options().outsize; }) {
    cases.push_back({full, "outsize", [=](int64_t n) {
                       return call(2, 2, 2, Options{.outsize = Spatial(n)});
                     }});
  }
  if constexpr (requires { Options().dilate; }) {
    cases.push_back({full, "dilate", [=](int64_t n) {
                       return call(2, 2, 2, Options{.dilate = n});
                     }});
    cases.push_back({full, "groups", [=](int64_t n) {
                       return call(2, 2, 2, Options{.groups = n});
                     }});
  }
  return cases;
}

template <class L, class Options>
ArgumentCases convolution(const std::string& name, int ndim) {
  return convolution<Options>(
      name, ndim,
      [](int64_t in, int64_t out, const Spatial& ksize,
         const Options& options) { return L(in, out, ksize, options); });
}

ArgumentCases blocks() {
  const auto inception = [](std::array<int64_t, 7> n) {
    Inception link(n[0], n[1], n[2], n[3], n[4], n[5], n[6]);
    return link(image(2));
  };
  const auto with_norm = [](std::array<int64_t, 6> n,
                            const InceptionBNOptions& options = {}) {
    InceptionBN link(n[0], n[1], n[2], n[3], n[4], n[5], "max", options);
    return link(image(2));
  };
  return {
      {"links::Inception", "in_channels",
       [=](int64_t n) {
         return inception({n, 1, 1, 1, 1, 1, 1});
       }},
      {"links::Inception", "out1",
       [=](int64_t n) {
         return inception({2, n, 1, 1, 1, 1, 1});
       }},
      {"links::Inception", "proj3",
       [=](int64_t n) {
         return inception({2, 1, n, 1, 1, 1, 1});
       }},
      {"links::Inception", "out3",
       [=](int64_t n) {
         return inception({2, 1, 1, n, 1, 1, 1});
       }},
      {"links::Inception", "proj5",
       [=](int64_t n) {
         return inception({2, 1, 1, 1, n, 1, 1});
       }},
      {"links::Inception", "out5",
       [=](int64_t n) {
         return inception({2, 1, 1, 1, 1, n, 1});
       }},
      {"links::Inception", "proj_pool",
       [=](int64_t n) {
         return inception({2, 1, 1, 1, 1, 1, n});
       }},
      {"links::InceptionBN", "in_channels",
       [=](int64_t n) {
         return with_norm({n, 1, 1, 1, 1, 1});
       }},
      {"links::InceptionBN", "out1",
       [=](int64_t n) {
         return with_norm({2, n, 1, 1, 1, 1});
       }},
      {"links::InceptionBN", "proj3",
       [=](int64_t n) {
         return with_norm({2, 1, n, 1, 1, 1});
       }},
      {"links::InceptionBN", "out3",
       [=](int64_t n) {
         return with_norm({2, 1, 1, n, 1, 1});
       }},
      {"links::InceptionBN", "proj33",
       [=](int64_t n) {
         return with_norm({2, 1, 1, 1, n, 1});
       }},
      {"links::InceptionBN", "out33",
       [=](int64_t n) {
         return with_norm({2, 1, 1, 1, 1, n});
       }},
      {"links::InceptionBN", "proj_pool",
       [=](int64_t n) {
         return with_norm({2, 1, 1, 1, 1, 1}, {.proj_pool = n});
       }},
      {"links::InceptionBN", "stride",
       [=](int64_t n) {
         return with_norm({2, 1, 1, 1, 1, 1}, {.stride = n});
       }},
      {"links::LocalConvolution2D", "in_size",
       [](const Shape& size) {
         LocalConvolution2D link(2, 2, Spatial(size), 2);
         return link(image(2));
       }},
      {"links::ConvolutionND", "ndim",
       [](int64_t n) {
         ConvolutionND link(static_cast<int>(n), 2, 2, 2);
         return link(image(2));
       }},
      {"links::DeconvolutionND", "ndim",
       [](int64_t n) {
         DeconvolutionND link(static_cast<int>(n), 2, 2, 2);
         return link(image(2));
       }},
  };
}

}  // namespace

ArgumentCases link_spatial_cases() {
  ArgumentCases cases = blocks();
  const auto make_nd = [](int64_t in, int64_t out, const Spatial& ksize,
                          const ConvolutionOptions& options) {
    return ConvolutionND(2, in, out, ksize, options);
  };
  const auto make_deconvolution_nd = [](int64_t in, int64_t out,
                                        const Spatial& ksize,
                                        const DeconvolutionOptions& options) {
    return DeconvolutionND(2, in, out, ksize, options);
  };
  const auto make_local = [](int64_t in, int64_t out, const Spatial& ksize,
                             const LocalConvolution2DOptions& options) {
    return LocalConvolution2D(in, out, Spatial(4), ksize, options);
  };
  const auto make_mlp = [](int64_t in, int64_t out, const Spatial& ksize,
                           const MLPConvolution2DOptions& options) {
    return MLPConvolution2D(in, {2, out}, ksize, options);
  };
  for (const ArgumentCases& more :
       {convolution<Convolution1D, ConvolutionOptions>("Convolution1D", 1),
        convolution<Convolution2D, ConvolutionOptions>("Convolution2D", 2),
        convolution<Convolution3D, ConvolutionOptions>("Convolution3D", 3),
        convolution<ConvolutionOptions>("ConvolutionND", 2, make_nd),
        convolution<Deconvolution1D, DeconvolutionOptions>("Deconvolution1D",
                                                           1),
        convolution<Deconvolution2D, DeconvolutionOptions>("Deconvolution2D",
                                                           2),
        convolution<Deconvolution3D, DeconvolutionOptions>("Deconvolution3D",
                                                           3),
        convolution<DeconvolutionOptions>("DeconvolutionND", 2,
                                          make_deconvolution_nd),
        convolution<DeformableConvolution2D, DeformableConvolution2DOptions>(
            "DeformableConvolution2D", 2),
        convolution<DepthwiseConvolution2D, DepthwiseConvolution2DOptions>(
            "DepthwiseConvolution2D", 2),
        convolution<LocalConvolution2DOptions>("LocalConvolution2D", 2,
                                               make_local),
        convolution<MLPConvolution2DOptions>("MLPConvolution2D", 2,
                                             make_mlp)}) {
    cases.insert(cases.end(), more.begin(), more.end());
  }
  return cases;
}

}  // namespace catena::testing
