#pragma once

#include <cstdint>
#include <optional>

#include "catena/autograd/variable.h"
#include "catena/functions/activation/relu.h"
#include "catena/functions/evaluation/accuracy.h"
#include "catena/functions/loss/softmax_cross_entropy.h"
#include "catena/functions/math/average.h"
#include "catena/functions/math/operators.h"
#include "catena/functions/pooling/average_pooling.h"
#include "catena/functions/pooling/max_pooling.h"
#include "catena/links/chain.h"
#include "catena/links/connection/convolution_nd.h"
#include "catena/links/connection/inception_bn.h"
#include "catena/links/connection/linear.h"
#include "catena/links/normalization/batch_normalization.h"
#include "catena/links/reporter.h"

namespace catena::examples {

namespace F = catena::functions;
namespace L = catena::links;

// GoogLeNet with batch normalization (Ioffe and Szegedy: Batch Normalization,
// 2015). inc4c and inc4d have the channels of Chainer's network, not those of
// the paper's table, which adds up to the same.
class GoogLeNetBN : public Chain<GoogLeNetBN> {
 public:
  // The side of the pictures, and the smallest one for which the classifiers
  // halfway have a window of 5x5.
  static constexpr int64_t kInsize = 224;
  static constexpr int64_t kSmallInsize = 64;

  explicit GoogLeNetBN(int64_t classes)
      : conv1(this, "conv1", 64, 7, {.stride = 2, .pad = 3, .nobias = true}),
        norm1(this, "norm1", 64),
        conv2(this, "conv2", 192, 3, {.pad = 1, .nobias = true}),
        norm2(this, "norm2", 192),
        inc3a(this, "inc3a", module(192, 64, 64, 64, 64, 96, "avg", 32)),
        inc3b(this, "inc3b", module(256, 64, 64, 96, 64, 96, "avg", 64)),
        inc3c(this, "inc3c", reduction(320, 128, 160, 64, 96)),
        inc4a(this, "inc4a", module(576, 224, 64, 96, 96, 128, "avg", 128)),
        inc4b(this, "inc4b", module(576, 192, 96, 128, 96, 128, "avg", 128)),
        inc4c(this, "inc4c", module(576, 128, 128, 160, 128, 160, "avg", 128)),
        inc4d(this, "inc4d", module(576, 64, 128, 192, 160, 192, "avg", 128)),
        inc4e(this, "inc4e", reduction(576, 128, 192, 192, 256)),
        inc5a(this, "inc5a", module(1024, 352, 192, 320, 160, 224, "avg", 128)),
        inc5b(this, "inc5b", module(1024, 352, 192, 320, 192, 224, "max", 128)),
        out(this, "out", classes),
        conva(this, "conva", 128, 1, {.nobias = true}),
        norma(this, "norma", 128),
        lina(this, "lina", 1024, {.nobias = true}),
        norma2(this, "norma2", 1024),
        outa(this, "outa", classes),
        convb(this, "convb", 128, 1, {.nobias = true}),
        normb(this, "normb", 128),
        linb(this, "linb", 1024, {.nobias = true}),
        normb2(this, "normb2", 1024),
        outb(this, "outb", classes) {}

  // x is (N, 3, h, w), t is (N,).
  Variable forward(const Variable& x, const Variable& t) {
    Variable h = F::relu(norm1(conv1(x)));
    h = F::max_pooling_2d(h, 3, {.stride = 2, .pad = 1});
    h = F::relu(norm2(conv2(h)));
    h = F::max_pooling_2d(h, 3, {.stride = 2, .pad = 1});
    h = inc4a(inc3c(inc3b(inc3a(h))));

    Variable a = F::average_pooling_2d(h, 5, {.stride = 3});
    a = F::relu(norma(conva(a)));
    a = F::relu(norma2(lina(a)));
    const Variable loss1 = F::softmax_cross_entropy(outa(a), t);

    h = inc4d(inc4c(inc4b(h)));

    Variable b = F::average_pooling_2d(h, 5, {.stride = 3});
    b = F::relu(normb(convb(b)));
    b = F::relu(normb2(linb(b)));
    const Variable loss2 = F::softmax_cross_entropy(outb(b), t);

    h = F::average(inc5b(inc5a(inc4e(h))), {2, 3});
    h = out(h);
    const Variable loss3 = F::softmax_cross_entropy(h, t);

    const Variable loss = 0.3 * (loss1 + loss2) + loss3;
    report({{"loss", loss},
            {"loss1", loss1},
            {"loss2", loss2},
            {"loss3", loss3},
            {"accuracy", F::accuracy(h, t)}},
           this);
    return loss;
  }

 private:
  static L::InceptionBN module(int64_t in, int64_t out1, int64_t proj3,
                               int64_t out3, int64_t proj33, int64_t out33,
                               const char* pooling, int64_t proj_pool) {
    return L::InceptionBN(in, out1, proj3, out3, proj33, out33, pooling,
                          {.proj_pool = proj_pool});
  }
  // Halves height and width.
  static L::InceptionBN reduction(int64_t in, int64_t proj3, int64_t out3,
                                  int64_t proj33, int64_t out33) {
    return L::InceptionBN(in, 0, proj3, out3, proj33, out33, "max",
                          {.stride = 2});
  }

  Child<L::Convolution2D> conv1;
  Child<L::BatchNormalization> norm1;
  Child<L::Convolution2D> conv2;
  Child<L::BatchNormalization> norm2;
  Child<L::InceptionBN> inc3a, inc3b, inc3c, inc4a, inc4b, inc4c, inc4d, inc4e,
      inc5a, inc5b;
  Child<L::Linear> out;
  Child<L::Convolution2D> conva;
  Child<L::BatchNormalization> norma;
  Child<L::Linear> lina;
  Child<L::BatchNormalization> norma2;
  Child<L::Linear> outa;
  Child<L::Convolution2D> convb;
  Child<L::BatchNormalization> normb;
  Child<L::Linear> linb;
  Child<L::BatchNormalization> normb2;
  Child<L::Linear> outb;
};

}  // namespace catena::examples
