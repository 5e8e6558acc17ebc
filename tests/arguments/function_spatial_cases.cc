// Functions of images: sizes and steps of windows, groups, output sizes.

#include "catena/array/all.h"
#include "catena/functions/functions.h"
#include "catena/tests/arguments/cases.h"
#include "catena/tests/arguments/small_inputs.h"

namespace catena::testing {
namespace {

namespace F = functions;
using functions::Spatial;

// (2, 2, 3, ...), with `ndim` spatial axes.
Variable image(int ndim) {
  Shape shape = Shape::filled(ndim + 2, 3);
  shape[0] = shape[1] = 2;
  return variable(shape);
}
Variable kernel(int ndim) { return variable(Shape::filled(ndim + 2, 2)); }

// The same extreme along all axes, and another size along each: for calls that
// take a Spatial.
template <class Call>
void add_spatial(ArgumentCases& cases, const std::string& function,
                 const std::string& argument, Call call) {
  cases.push_back({"functions::" + function, argument,
                   [call](int64_t n) { return call(Spatial(n)); }});
  cases.push_back({"functions::" + function, argument,
                   [call](const Shape& sizes) { return call(sizes); }});
}

using Convolution = Variable (*)(const Variable& x, const Variable& W,
                                 const Variable& b,
                                 const F::ConvolutionOptions& options);
void add_convolution(ArgumentCases& cases, const std::string& name, int ndim,
                     Convolution function) {
  const auto call = [=](const F::ConvolutionOptions& options) {
    return function(image(ndim), kernel(ndim), variable({2}), options);
  };
  add_spatial(cases, name, "stride",
              [=](const Spatial& sizes) { return call({.stride = sizes}); });
  add_spatial(cases, name, "pad",
              [=](const Spatial& sizes) { return call({.pad = sizes}); });
  add_spatial(cases, name, "dilate", [=](const Spatial& sizes) {
    return call({.cover_all = true, .dilate = sizes});
  });
  cases.push_back({"functions::" + name, "groups",
                   [=](int64_t n) { return call({.groups = n}); }});
}

using Deconvolution = Variable (*)(const Variable& x, const Variable& W,
                                   const Variable& b,
                                   const F::DeconvolutionOptions& options);
void add_deconvolution(ArgumentCases& cases, const std::string& name, int ndim,
                       Deconvolution function) {
  const auto call = [=](const F::DeconvolutionOptions& options) {
    return function(image(ndim), kernel(ndim), variable({2}), options);
  };
  add_spatial(cases, name, "stride",
              [=](const Spatial& sizes) { return call({.stride = sizes}); });
  add_spatial(cases, name, "pad",
              [=](const Spatial& sizes) { return call({.pad = sizes}); });
  add_spatial(cases, name, "outsize",
              [=](const Spatial& sizes) { return call({.outsize = sizes}); });
  add_spatial(cases, name, "dilate",
              [=](const Spatial& sizes) { return call({.dilate = sizes}); });
  cases.push_back({"functions::" + name, "groups",
                   [=](int64_t n) { return call({.groups = n}); }});
}

ArgumentCases convolutions() {
  ArgumentCases cases;
  add_convolution(cases, "convolution_1d", 1, F::convolution_1d);
  add_convolution(cases, "convolution_2d", 2, F::convolution_2d);
  add_convolution(cases, "convolution_3d", 3, F::convolution_3d);
  add_convolution(cases, "convolution_nd", 2, F::convolution_nd);
  add_deconvolution(cases, "deconvolution_1d", 1, F::deconvolution_1d);
  add_deconvolution(cases, "deconvolution_2d", 2, F::deconvolution_2d);
  add_deconvolution(cases, "deconvolution_3d", 3, F::deconvolution_3d);
  add_deconvolution(cases, "deconvolution_nd", 2, F::deconvolution_nd);

  const auto add = [&](const std::string& name, const std::string& argument,
                       auto call) { add_spatial(cases, name, argument, call); };
  const auto x = [] { return image(2); };
  const auto W = [] { return kernel(2); };
  add("dilated_convolution_2d", "stride", [=](const Spatial& sizes) {
    return F::dilated_convolution_2d(x(), W(), {}, {.stride = sizes});
  });
  add("dilated_convolution_2d", "pad", [=](const Spatial& sizes) {
    return F::dilated_convolution_2d(x(), W(), {}, {.pad = sizes});
  });
  add("dilated_convolution_2d", "dilate", [=](const Spatial& sizes) {
    return F::dilated_convolution_2d(x(), W(), {}, {.dilate = sizes});
  });
  add("depthwise_convolution_2d", "stride", [=](const Spatial& sizes) {
    return F::depthwise_convolution_2d(x(), W(), {}, {.stride = sizes});
  });
  add("depthwise_convolution_2d", "pad", [=](const Spatial& sizes) {
    return F::depthwise_convolution_2d(x(), W(), {}, {.pad = sizes});
  });
  add("local_convolution_2d", "stride", [=](const Spatial& sizes) {
    return F::local_convolution_2d(x(), variable({2, 2, 2, 2, 2, 2}), {},
                                   {.stride = sizes});
  });
  const auto offset = [] { return variable({2, 8, 2, 2}); };
  add("deformable_convolution_2d_sampler", "stride", [=](const Spatial& sizes) {
    return F::deformable_convolution_2d_sampler(x(), offset(), W(), {},
                                                {.stride = sizes});
  });
  add("deformable_convolution_2d_sampler", "pad", [=](const Spatial& sizes) {
    return F::deformable_convolution_2d_sampler(x(), offset(), W(), {},
                                                {.pad = sizes});
  });
  add("shift", "ksize", [=](const Spatial& sizes) {
    return F::shift(variable({1, 9, 3, 3}), {.ksize = sizes});
  });
  add("shift", "dilate", [=](const Spatial& sizes) {
    return F::shift(variable({1, 9, 3, 3}), {.dilate = sizes});
  });
  add("im2col", "ksize",
      [=](const Spatial& sizes) { return F::im2col(x(), sizes); });
  add("im2col", "stride", [=](const Spatial& sizes) {
    return F::im2col(x(), 2, {.stride = sizes});
  });
  add("im2col", "pad",
      [=](const Spatial& sizes) { return F::im2col(x(), 2, {.pad = sizes}); });
  add("im2col", "dilate", [=](const Spatial& sizes) {
    return F::im2col(x(), 2, {.cover_all = true, .dilate = sizes});
  });
  return cases;
}

// The ksize of 1-d functions is a number; a Spatial has one, too.
template <class Options, class Function>
void add_pooling(ArgumentCases& cases, const std::string& name, int ndim,
                 Function function) {
  const auto add = [&](const std::string& argument, auto call) {
    add_spatial(cases, name, argument, call);
  };
  if constexpr (std::invocable<Function, Variable, Spatial, Options>) {
    add("ksize", [=](const Spatial& sizes) {
      return function(image(ndim), sizes, Options());
    });
  } else {
    cases.push_back({"functions::" + name, "ksize", [=](int64_t n) {
                       return function(image(ndim), n, Options());
                     }});
  }
  add("stride", [=](const Spatial& sizes) {
    return function(image(ndim), 2, Options{.stride = sizes});
  });
  add("pad", [=](const Spatial& sizes) {
    return function(image(ndim), 2, Options{.pad = sizes});
  });
  if constexpr (requires { Options().outsize; }) {
    add("outsize", [=](const Spatial& sizes) {
      return function(image(ndim), 2, Options{.outsize = sizes});
    });
  }
}

ArgumentCases poolings() {
  ArgumentCases cases;
  const auto add_average = [&](const std::string& name, int ndim, auto call) {
    add_pooling<F::AveragePoolingOptions>(cases, name, ndim, call);
  };
  add_average("average_pooling_1d", 1, F::average_pooling_1d);
  add_average("average_pooling_2d", 2, F::average_pooling_2d);
  add_average("average_pooling_3d", 3, F::average_pooling_3d);
  add_average("average_pooling_nd", 2, F::average_pooling_nd);
  const auto add_max = [&](const std::string& name, int ndim, auto call) {
    add_pooling<F::MaxPoolingOptions>(cases, name, ndim, call);
  };
  add_max("max_pooling_1d", 1, F::max_pooling_1d);
  add_max("max_pooling_2d", 2, F::max_pooling_2d);
  add_max("max_pooling_3d", 3, F::max_pooling_3d);
  add_max("max_pooling_nd", 2, F::max_pooling_nd);
  add_max("MaxPooling2D", 2,
          [](const Variable& x, const Spatial& ksize,
             const F::MaxPoolingOptions& options) {
            F::MaxPooling2D pooling(ksize, options);
            return pooling(x);
          });
  const auto add_unpooling = [&](const std::string& name, int ndim, auto call) {
    add_pooling<F::UnpoolingOptions>(cases, name, ndim, call);
  };
  add_unpooling("unpooling_1d", 1, F::unpooling_1d);
  add_unpooling("unpooling_2d", 2, F::unpooling_2d);
  add_unpooling("unpooling_3d", 3, F::unpooling_3d);
  add_unpooling("unpooling_nd", 2, F::unpooling_nd);
  add_unpooling("upsampling_2d", 2,
                [](const Variable& x, const Spatial& ksize,
                   const F::UnpoolingOptions& options) {
                  return F::upsampling_2d(x, labels(x.shape()), ksize, options);
                });
  cases.push_back({"functions::upsampling_2d", "indexes", [](const Array& at) {
                     return F::upsampling_2d(variable({1, 1, 1, 3}),
                                             at.reshape({1, 1, 1, 3}), 2);
                   }});
  cases.push_back(
      {"functions::spatial_pyramid_pooling_2d", "pyramid_height",
       [](int64_t n) { return F::spatial_pyramid_pooling_2d(image(2), n); }});
  return cases;
}

// Three regions, with extremes as coordinates and as indices of images.
using Roi = std::function<Variable(const Array& rois, const Array& indices,
                                   const Spatial& outsize)>;
void add_roi(ArgumentCases& cases, const std::string& name, Roi call) {
  cases.push_back({"functions::" + name, "rois", [=](const Array& at) {
                     const Array rois =
                         at.reshape({3, 1}).broadcast_to({3, 4}).astype(
                             Dtype::kFloat32);
                     return call(rois, labels({3}) * 0, 2);
                   }});
  cases.push_back({"functions::" + name, "rois", [=](const Array& at) {
                     return call(floats({3, 4}), at, 2);
                   }});
  add_spatial(cases, name, "outsize", [=](const Spatial& sizes) {
    return call(floats({3, 4}), labels({3}) * 0, sizes);
  });
}

ArgumentCases regions() {
  ArgumentCases cases;
  const auto x = [] { return variable({2, 1, 4, 4}); };
  add_roi(cases, "roi_max_pooling_2d",
          [=](auto& rois, auto& indices, auto& outsize) {
            return F::roi_max_pooling_2d(x(), rois, indices, outsize, 1);
          });
  add_roi(cases, "roi_average_pooling_2d",
          [=](auto& rois, auto& indices, auto& outsize) {
            return F::roi_average_pooling_2d(x(), rois, indices, outsize, 1);
          });
  add_roi(cases, "roi_max_align_2d",
          [=](auto& rois, auto& indices, auto& outsize) {
            return F::roi_max_align_2d(x(), rois, indices, outsize, 1);
          });
  add_roi(cases, "roi_average_align_2d",
          [=](auto& rois, auto& indices, auto& outsize) {
            return F::roi_average_align_2d(x(), rois, indices, outsize, 1);
          });
  const Array zeros = labels({3}) * 0;
  add_spatial(cases, "roi_max_align_2d", "sampling_ratio",
              [=](const Spatial& sizes) {
                return F::roi_max_align_2d(x(), floats({3, 4}), zeros, 2, 1,
                                           {.sampling_ratio = sizes});
              });
  add_spatial(cases, "roi_average_align_2d", "sampling_ratio",
              [=](const Spatial& sizes) {
                return F::roi_average_align_2d(x(), floats({3, 4}), zeros, 2, 1,
                                               {.sampling_ratio = sizes});
              });
  const Array rois = floats({3, 5}) * 0;
  cases.push_back({"functions::roi_pooling_2d", "rois", [=](const Array& at) {
                     const Array extreme =
                         at.reshape({3, 1}).broadcast_to({3, 5}).astype(
                             Dtype::kFloat32);
                     return F::roi_pooling_2d(x(), extreme, 2, 2, 1);
                   }});
  cases.push_back({"functions::roi_pooling_2d", "outh", [=](int64_t n) {
                     return F::roi_pooling_2d(x(), rois, n, 2, 1);
                   }});
  cases.push_back({"functions::roi_pooling_2d", "outw", [=](int64_t n) {
                     return F::roi_pooling_2d(x(), rois, 2, n, 1);
                   }});
  add_spatial(
      cases, "resize_images", "output_shape",
      [=](const Spatial& sizes) { return F::resize_images(x(), sizes); });
  add_spatial(cases, "spatial_transformer_grid", "output_shape",
              [=](const Spatial& sizes) {
                return F::spatial_transformer_grid(variable({1, 2, 3}), sizes);
              });
  return cases;
}

// Pure arithmetic of sizes.
ArgumentCases sizes() {
  using F::get_conv_outsize;
  using F::get_deconv_outsize;
  ArgumentCases cases;
  for (const bool cover : {false, true}) {
    const ArgumentCases more = {
        {"functions::get_conv_outsize", "size",
         [=](int64_t n) { return get_conv_outsize(n, 2, 1, 0, cover); }},
        {"functions::get_conv_outsize", "k",
         [=](int64_t n) { return get_conv_outsize(5, n, 1, 0, cover, 3); }},
        {"functions::get_conv_outsize", "s",
         [=](int64_t n) { return get_conv_outsize(5, 2, n, 0, cover); }},
        {"functions::get_conv_outsize", "p",
         [=](int64_t n) { return get_conv_outsize(5, 2, 1, n, cover); }},
        {"functions::get_conv_outsize", "d",
         [=](int64_t n) { return get_conv_outsize(5, 3, 1, 0, cover, n); }},
        {"functions::get_deconv_outsize", "size",
         [=](int64_t n) { return get_deconv_outsize(n, 2, 3, 0, cover); }},
        {"functions::get_deconv_outsize", "k",
         [=](int64_t n) { return get_deconv_outsize(5, n, 1, 0, cover, 3); }},
        {"functions::get_deconv_outsize", "s",
         [=](int64_t n) { return get_deconv_outsize(5, 2, n, 0, cover); }},
        {"functions::get_deconv_outsize", "p",
         [=](int64_t n) { return get_deconv_outsize(5, 2, 1, n, cover); }},
        {"functions::get_deconv_outsize", "d",
         [=](int64_t n) { return get_deconv_outsize(5, 3, 1, 0, cover, n); }},
    };
    cases.insert(cases.end(), more.begin(), more.end());
  }
  cases.push_back({"functions::Spatial", "size",
                   [](int64_t n) { Spatial(n).on_axes(2, 0, "f", "size"); }});
  cases.push_back({"functions::Spatial", "sizes", [](const Shape& sizes) {
                     Spatial(sizes).on_axes(2, 0, "f", "sizes");
                   }});
  return cases;
}

}  // namespace

ArgumentCases function_spatial_cases() {
  ArgumentCases cases = convolutions();
  for (const ArgumentCases& more : {poolings(), regions(), sizes()}) {
    cases.insert(cases.end(), more.begin(), more.end());
  }
  return cases;
}

}  // namespace catena::testing
