// What the functions of this folder reject: a case for each precondition that
// their own tests leave out.

#include <gtest/gtest.h>

#include "catena/functions/connection/bilinear.h"
#include "catena/functions/connection/convolution_nd.h"
#include "catena/functions/connection/deconvolution_nd.h"
#include "catena/functions/connection/deformable_convolution_2d_sampler.h"
#include "catena/functions/connection/depthwise_convolution_2d.h"
#include "catena/functions/connection/local_convolution_2d.h"
#include "catena/functions/connection/shift.h"
#include "catena/tests/support/rejections.h"

namespace catena::functions {
namespace {

using testing::check_rejections;
using testing::f32;
using testing::f64;
using testing::i32;

TEST(TypeCheckTest, OfBilinearForms) {
  const Variable e = f64({2, 3});
  const Variable W = f64({3, 3, 4});
  const Variable V = f64({3, 4});
  const Variable b = f64({4});
  check_rejections({
      {"e1.dtype is floating",
       [&] {
         bilinear(i32({2, 3}), e, W);
       }},
      {"e2.dtype == e1.dtype",
       [&] {
         bilinear(e, f32({2, 3}), W);
       }},
      {"W.dtype == e1.dtype",
       [&] {
         bilinear(e, e, f32({3, 3, 4}));
       }},
      {"e2.shape[1] == W.shape[1]",
       [&] {
         bilinear(e, f64({2, 2}), W);
       }},
      {"V1.dtype == W.dtype",
       [&] {
         bilinear(e, e, W, f32({3, 4}), V, b);
       }},
      {"V2.dtype == W.dtype",
       [&] {
         bilinear(e, e, W, V, f32({3, 4}), b);
       }},
      {"b.dtype == W.dtype", [&] { bilinear(e, e, W, V, V, f32({4})); }},
      {"V1.ndim == 2", [&] { bilinear(e, e, W, f64({3}), V, b); }},
      {"V2.ndim == 2", [&] { bilinear(e, e, W, V, f64({3}), b); }},
      {"V1.shape[0] == W.shape[0]",
       [&] {
         bilinear(e, e, W, f64({2, 4}), V, b);
       }},
      {"V2.shape[0] == W.shape[1]",
       [&] {
         bilinear(e, e, W, V, f64({2, 4}), b);
       }},
      {"V2.shape[1] == W.shape[2]",
       [&] {
         bilinear(e, e, W, V, f64({3, 5}), b);
       }},
      {"b.shape[0] == W.shape[2]", [&] { bilinear(e, e, W, V, V, f64({5})); }},
  });
}

TEST(TypeCheckTest, OfConvolutions) {
  const Variable x = f64({1, 2, 5, 5});
  const Variable W = f64({4, 2, 3, 3});
  check_rejections({
      {"x.ndim == 4",
       [&] {
         convolution_2d(f64({1, 2, 5}), W);
       }},
      {"x.ndim > 2",
       [&] {
         convolution_nd(f64({1, 2}), f64({4, 2}));
       }},
      {"W.shape[2] > 0",
       [&] {
         convolution_2d(x, f64({4, 2, 0, 3}));
       }},
      {"W.shape[0] % groups == 0",
       [&] {
         convolution_2d(x, f64({3, 1, 3, 3}), {}, {.groups = 2});
       }},
      {"W.shape[1] * groups == x.shape[1]",
       [&] { convolution_2d(x, W, {}, {.groups = 2}); }},
      {"b.dtype == x.dtype", [&] { convolution_2d(x, W, f32({4})); }},
      {"b.ndim == 1",
       [&] {
         convolution_2d(x, W, f64({4, 1}));
       }},
      {"b.shape[0] == W.shape[0]", [&] { convolution_2d(x, W, f64({3})); }},
      {"W.shape[0] == x.shape[1]", [&] { deconvolution_2d(x, W); }},
      {"b.dtype == x.dtype",
       [&] {
         deconvolution_2d(x, f64({2, 3, 3, 3}), f32({3}));
       }},
      {"b.ndim == 1",
       [&] {
         deconvolution_2d(x, f64({2, 3, 3, 3}), f64({3, 1}));
       }},
      {"W.shape[1] * groups == b.shape[0]",
       [&] {
         deconvolution_2d(x, f64({2, 3, 3, 3}), f64({4}));
       }},
      {"W.shape[1] > 0",
       [&] {
         depthwise_convolution_2d(f64({1, 0, 5, 5}), f64({1, 0, 3, 3}));
       }},
      {"x.ndim == 4",
       [] {
         shift(f64({1, 9, 5}));
       }},
      {"x.shape[1] >= 9",
       [] {
         shift(f64({1, 8, 5, 5}));
       }},
  });
}

TEST(TypeCheckTest, OfDeformableConvolutions) {
  const Variable x = f64({1, 2, 5, 5});
  const Variable offset = f64({1, 18, 3, 3});
  const Variable W = f64({4, 2, 3, 3});
  const auto run = [](const Variable& x, const Variable& offset,
                      const Variable& W, const Variable& b = {}) {
    return [=] { deformable_convolution_2d_sampler(x, offset, W, b); };
  };
  check_rejections({
      {"x.dtype is floating", run(i32({1, 2, 5, 5}), offset, W)},
      {"offset.dtype == x.dtype", run(x, f32({1, 18, 3, 3}), W)},
      {"W.dtype == x.dtype", run(x, offset, f32({4, 2, 3, 3}))},
      {"x.ndim == 4", run(f64({1, 2, 5}), offset, W)},
      {"offset.ndim == 4", run(x, f64({1, 18, 3}), W)},
      {"W.ndim == 4", run(x, offset, f64({4, 2, 3}))},
      {"W.shape[1] == x.shape[1]", run(x, offset, f64({4, 3, 3, 3}))},
      {"W.shape[2] > 0", run(x, offset, f64({4, 2, 0, 3}))},
      {"W.shape[3] > 0", run(x, offset, f64({4, 2, 3, 0}))},
      {"offset.shape[0] == x.shape[0]", run(x, f64({2, 18, 3, 3}), W)},
      {"offset.shape[1] == W.shape[2] * W.shape[3] * 2",
       run(x, f64({1, 9, 3, 3}), W)},
      {"b.dtype == x.dtype", run(x, offset, W, f32({4}))},
      {"b.ndim == 1", run(x, offset, W, f64({4, 1}))},
      {"b.shape[0] == W.shape[0]", run(x, offset, W, f64({3}))},
  });
}

TEST(TypeCheckTest, OfLocalConvolutions) {
  const Variable x = f64({1, 2, 5, 5});
  const Variable W = f64({4, 3, 3, 2, 3, 3});
  const auto run = [](const Variable& x, const Variable& W,
                      const Variable& b = {}) {
    return [=] { local_convolution_2d(x, W, b); };
  };
  check_rejections({
      {"x.dtype is floating", run(i32({1, 2, 5, 5}), W)},
      {"W.dtype == x.dtype", run(x, f32({4, 3, 3, 2, 3, 3}))},
      {"x.ndim == 4", run(f64({1, 2, 5}), W)},
      {"W.ndim == 6", run(x, f64({4, 3, 3, 2, 3}))},
      {"W.shape[3] == x.shape[1]", run(x, f64({4, 3, 3, 3, 3, 3}))},
      {"W.shape[4] > 0", run(x, f64({4, 3, 3, 2, 0, 3}))},
      {"W.shape[5] > 0", run(x, f64({4, 3, 3, 2, 3, 0}))},
      {"b.dtype == x.dtype", run(x, W, f32({4, 3, 3}))},
      {"b.ndim == 3", run(x, W, f64({4}))},
      {"b.shape[1] == W.shape[1]", run(x, W, f64({4, 2, 3}))},
  });
}

}  // namespace
}  // namespace catena::functions
