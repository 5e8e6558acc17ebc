#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "catena/links/call_link.h"
#include "catena/links/chain.h"
#include "catena/links/connection/convolution_nd.h"
#include "catena/links/initializers/initializers.h"
#include "catena/links/normalization/batch_normalization.h"

namespace catena::links {

struct InceptionBNOptions {
  // Channels of the pooled part, which keeps x's where there is no number.
  std::optional<int64_t> proj_pool = std::nullopt;
  // Stride of the last step of each part.
  int64_t stride = 1;
  // First values of all W.
  Initializer conv_init = initializers::LeCunNormal();
  // The dtype of the parameters; defaults to config().dtype.
  std::optional<Dtype> dtype = std::nullopt;
};

// The module of the second GoogLeNet (Ioffe and Szegedy, 2015, "Batch
// Normalization"): as Inception, but with batch normalization and relu behind
// each convolution, two of 3x3 in place of the one of 5x5, and a choice of
// pooling.
class InceptionBN : public Chain {
 public:
  // Channels of x, of the 1x1 convolution (0 leaves it out), of the projection
  // for the 3x3 convolution and of that, and of the same for the double one;
  // pooltype is "max" or "avg", else NotImplementedError. Without in_channels
  // it is inferred at the first call. ValueError when another number is not
  // positive, or with out1 unless stride is 1 and proj_pool given.
  InceptionBN(std::optional<int64_t> in_channels, int64_t out1, int64_t proj3,
              int64_t out3, int64_t proj33, int64_t out33,
              const std::string& pooltype,
              const InceptionBNOptions& options = {});

  // x is (N, in_channels, h, w), y (N, out1 + out3 + out33 + proj_pool, oh,
  // ow). InvalidType when shapes do not fit.
  Variable forward(const Variable& x);
  Variable operator()(const Variable& x) { return call_link(*this, x); }

  Child<Convolution2D> proj3;
  Child<Convolution2D> conv3;
  Child<Convolution2D> proj33;
  Child<Convolution2D> conv33a;
  Child<Convolution2D> conv33b;
  Child<BatchNormalization> proj3n;
  Child<BatchNormalization> conv3n;
  Child<BatchNormalization> proj33n;
  Child<BatchNormalization> conv33an;
  Child<BatchNormalization> conv33bn;
  // And, where there are such parts, conv1 and conv1n, poolp and poolpn.

 private:
  // The convolution of that name, normalized by the link whose name has an n
  // behind it.
  Variable convolve(const std::string& name, const Variable& x);

  bool has_conv1_;
  bool has_poolp_;
  bool is_max_;
  int64_t stride_;
};

}  // namespace catena::links
