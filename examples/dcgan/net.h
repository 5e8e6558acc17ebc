#pragma once

#include <cstdint>

#include "catena/array/core/shape.h"
#include "catena/array/random/random.h"
#include "catena/autograd/config.h"
#include "catena/autograd/variable.h"
#include "catena/functions/activation/leaky_relu.h"
#include "catena/functions/activation/relu.h"
#include "catena/functions/activation/sigmoid.h"
#include "catena/functions/array/reshape.h"
#include "catena/functions/math/operators.h"
#include "catena/links/chain.h"
#include "catena/links/connection/convolution_nd.h"
#include "catena/links/connection/deconvolution_nd.h"
#include "catena/links/connection/linear.h"
#include "catena/links/initializers/initializers.h"
#include "catena/links/normalization/batch_normalization.h"

// Networks after A. Radford, L. Metz and S. Chintala (2016), for images whose
// sides are multiples of 8. The widest layers have `ch` channels, and weights
// start as `w`; `image` is the shape (channels, height, width).
namespace catena::examples::dcgan {

namespace F = functions;
namespace L = links;

// From noise to an image: the feature maps double in size three times, from an
// eighth of the image's.
class Generator : public Chain<Generator> {
 public:
  Generator(int64_t n_hidden, int64_t ch, const Shape& image,
            const Initializer& w)
      : n_hidden_(n_hidden),
        bottom_{ch, image[1] / 8, image[2] / 8},
        l0(this, "l0", n_hidden, size_of(bottom_), {.initialW = w}),
        dc1(this, "dc1", ch, ch / 2, 4, {.stride = 2, .pad = 1, .initialW = w}),
        dc2(this, "dc2", ch / 2, ch / 4, 4,
            {.stride = 2, .pad = 1, .initialW = w}),
        dc3(this, "dc3", ch / 4, ch / 8, 4,
            {.stride = 2, .pad = 1, .initialW = w}),
        dc4(this, "dc4", ch / 8, image[0], 3, {.pad = 1, .initialW = w}),
        bn0(this, "bn0", size_of(bottom_)),
        bn1(this, "bn1", ch / 2),
        bn2(this, "bn2", ch / 4),
        bn3(this, "bn3", ch / 8) {}

  Array make_hidden(int64_t n, array::random::Generator& random) const {
    return random.uniform(-1, 1, {n, n_hidden_}, Dtype::kFloat32);
  }

  Variable forward(const Variable& z) {
    Variable h = F::relu(bn0(l0(z)));
    h = F::reshape(h, {-1, bottom_[0], bottom_[1], bottom_[2]});
    h = F::relu(bn1(dc1(h)));
    h = F::relu(bn2(dc2(h)));
    h = F::relu(bn3(dc3(h)));
    return F::sigmoid(dc4(h));
  }

 private:
  int64_t n_hidden_;
  Shape bottom_;
  Child<L::Linear> l0;
  Child<L::Deconvolution2D> dc1, dc2, dc3, dc4;
  Child<L::BatchNormalization> bn0, bn1, bn2, bn3;
};

// Noise makes the discriminator's task harder, so that the generator, which
// starts far from the data, has something to learn from.
inline Variable add_noise(const Variable& h, double sigma = 0.2) {
  if (!config().train) return h;
  return h + array::random::normal(0, sigma, h.shape(), h.dtype());
}

// From an image to the logit that it is real.
class Discriminator : public Chain<Discriminator> {
 public:
  Discriminator(int64_t ch, const Shape& image, const Initializer& w)
      : c0_0(this, "c0_0", image[0], ch / 8, 3, {.pad = 1, .initialW = w}),
        c0_1(this, "c0_1", ch / 8, ch / 4, 4,
             {.stride = 2, .pad = 1, .initialW = w}),
        c1_0(this, "c1_0", ch / 4, ch / 4, 3, {.pad = 1, .initialW = w}),
        c1_1(this, "c1_1", ch / 4, ch / 2, 4,
             {.stride = 2, .pad = 1, .initialW = w}),
        c2_0(this, "c2_0", ch / 2, ch / 2, 3, {.pad = 1, .initialW = w}),
        c2_1(this, "c2_1", ch / 2, ch, 4,
             {.stride = 2, .pad = 1, .initialW = w}),
        c3_0(this, "c3_0", ch, ch, 3, {.pad = 1, .initialW = w}),
        l4(this, "l4", 1, {.initialW = w}),
        bn0_1(this, "bn0_1", ch / 4, {.use_gamma = false}),
        bn1_0(this, "bn1_0", ch / 4, {.use_gamma = false}),
        bn1_1(this, "bn1_1", ch / 2, {.use_gamma = false}),
        bn2_0(this, "bn2_0", ch / 2, {.use_gamma = false}),
        bn2_1(this, "bn2_1", ch, {.use_gamma = false}),
        bn3_0(this, "bn3_0", ch, {.use_gamma = false}) {}

  Variable forward(const Variable& x) {
    Variable h = add_noise(x);
    h = F::leaky_relu(add_noise(c0_0(h)));
    h = F::leaky_relu(add_noise(bn0_1(c0_1(h))));
    h = F::leaky_relu(add_noise(bn1_0(c1_0(h))));
    h = F::leaky_relu(add_noise(bn1_1(c1_1(h))));
    h = F::leaky_relu(add_noise(bn2_0(c2_0(h))));
    h = F::leaky_relu(add_noise(bn2_1(c2_1(h))));
    h = F::leaky_relu(add_noise(bn3_0(c3_0(h))));
    return l4(h);
  }

 private:
  Child<L::Convolution2D> c0_0, c0_1, c1_0, c1_1, c2_0, c2_1, c3_0;
  Child<L::Linear> l4;
  Child<L::BatchNormalization> bn0_1, bn1_0, bn1_1, bn2_0, bn2_1, bn3_0;
};

}  // namespace catena::examples::dcgan
