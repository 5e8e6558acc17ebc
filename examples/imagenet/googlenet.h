#pragma once

#include <cstdint>

#include "catena/autograd/variable.h"
#include "catena/functions/activation/relu.h"
#include "catena/functions/evaluation/accuracy.h"
#include "catena/functions/loss/softmax_cross_entropy.h"
#include "catena/functions/math/average.h"
#include "catena/functions/math/operators.h"
#include "catena/functions/noise/dropout.h"
#include "catena/functions/normalization/local_response_normalization.h"
#include "catena/functions/pooling/average_pooling.h"
#include "catena/functions/pooling/max_pooling.h"
#include "catena/links/chain.h"
#include "catena/links/connection/convolution_nd.h"
#include "catena/links/connection/inception.h"
#include "catena/links/connection/linear.h"
#include "catena/links/reporter.h"

namespace catena::examples {

namespace F = catena::functions;
namespace L = catena::links;

// GoogLeNet: modules of convolutions of several sizes side by side, and, since
// the way back to the first of them is long, two classifiers halfway whose
// losses count as well (Szegedy et al.: Going Deeper with Convolutions, 2014).
class GoogLeNet : public Chain<GoogLeNet> {
 public:
  // The side of the pictures, and the smallest one for which the classifiers
  // halfway have a window of 5x5.
  static constexpr int64_t kInsize = 224;
  static constexpr int64_t kSmallInsize = 79;

  explicit GoogLeNet(int64_t classes)
      : conv1(this, "conv1", 64, 7, {.stride = 2, .pad = 3}),
        conv2_reduce(this, "conv2_reduce", 64, 1),
        conv2(this, "conv2", 192, 3, {.pad = 1}),
        inc3a(this, "inc3a", 192, 64, 96, 128, 16, 32, 32),
        inc3b(this, "inc3b", 256, 128, 128, 192, 32, 96, 64),
        inc4a(this, "inc4a", 480, 192, 96, 208, 16, 48, 64),
        inc4b(this, "inc4b", 512, 160, 112, 224, 24, 64, 64),
        inc4c(this, "inc4c", 512, 128, 128, 256, 24, 64, 64),
        inc4d(this, "inc4d", 512, 112, 144, 288, 32, 64, 64),
        inc4e(this, "inc4e", 528, 256, 160, 320, 32, 128, 128),
        inc5a(this, "inc5a", 832, 256, 160, 320, 32, 128, 128),
        inc5b(this, "inc5b", 832, 384, 192, 384, 48, 128, 128),
        loss3_fc(this, "loss3_fc", classes),
        loss1_conv(this, "loss1_conv", 128, 1),
        loss1_fc1(this, "loss1_fc1", 1024),
        loss1_fc2(this, "loss1_fc2", classes),
        loss2_conv(this, "loss2_conv", 128, 1),
        loss2_fc1(this, "loss2_fc1", 1024),
        loss2_fc2(this, "loss2_fc2", classes) {}

  // x is (N, 3, h, w), t is (N,).
  Variable forward(const Variable& x, const Variable& t) {
    Variable h = F::max_pooling_2d(F::relu(conv1(x)), 3, {.stride = 2});
    h = F::relu(conv2_reduce(F::local_response_normalization(h)));
    h = F::local_response_normalization(F::relu(conv2(h)));
    h = F::max_pooling_2d(h, 3, {.stride = 2});
    h = F::max_pooling_2d(inc3b(inc3a(h)), 3, {.stride = 2});
    h = inc4a(h);

    Variable l = F::average_pooling_2d(h, 5, {.stride = 3});
    l = F::relu(loss1_fc1(F::relu(loss1_conv(l))));
    const Variable loss1 = F::softmax_cross_entropy(loss1_fc2(l), t);

    h = inc4d(inc4c(inc4b(h)));

    l = F::average_pooling_2d(h, 5, {.stride = 3});
    l = F::relu(loss2_fc1(F::relu(loss2_conv(l))));
    const Variable loss2 = F::softmax_cross_entropy(loss2_fc2(l), t);

    h = F::max_pooling_2d(inc4e(h), 3, {.stride = 2});
    h = F::average(inc5b(inc5a(h)), {2, 3});
    h = loss3_fc(F::dropout(h, {.ratio = 0.4}));
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
  Child<L::Convolution2D> conv1, conv2_reduce, conv2;
  Child<L::Inception> inc3a, inc3b, inc4a, inc4b, inc4c, inc4d, inc4e, inc5a,
      inc5b;
  Child<L::Linear> loss3_fc;
  Child<L::Convolution2D> loss1_conv;
  Child<L::Linear> loss1_fc1, loss1_fc2;
  Child<L::Convolution2D> loss2_conv;
  Child<L::Linear> loss2_fc1, loss2_fc2;
};

}  // namespace catena::examples
