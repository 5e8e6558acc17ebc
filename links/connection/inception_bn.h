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
  NamedFieldsOnly keywords = {};
  // Channels of the pooling branch; without projection by default.
  std::optional<int64_t> proj_pool = std::nullopt;
  // Stride of the last layer of each branch.
  int64_t stride = 1;
  // Initial values of all W.
  Initializer conv_init = initializers::LeCunNormal();
  // The dtype of the parameters; defaults to config().dtype.
  std::optional<Dtype> dtype = std::nullopt;
};

// The Inception module with batch normalization (Ioffe and Szegedy, 2015,
// "Batch Normalization"). Like Inception, but with batch normalization before
// each relu, two 3x3 convolutions in place of the 5x5, and a choice of pooling.
class InceptionBN : public Chain<InceptionBN> {
 public:
  using Options = InceptionBNOptions;

  // Channels of x, of the 1x1 convolution (0 omits it), of the 3x3 branch's
  // projection and convolution, and of the double 3x3 branch's. pooltype is
  // "max" or "avg", else NotImplementedError. in_channels defaults to x's at
  // the first call. Throws ValueError when another number is not positive, or
  // when out1 is given unless stride is 1 and proj_pool is given.
  InceptionBN(std::optional<int64_t> in_channels, int64_t out1, int64_t proj3,
              int64_t out3, int64_t proj33, int64_t out33,
              const std::string& pooltype,
              const InceptionBNOptions& options = {});

  // x is (N, in_channels, h, w), y (N, out1 + out3 + out33 + proj_pool, oh,
  // ow). Throws InvalidType when shapes do not match.
  Variable forward(const Variable& x);

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
  // Optional children: conv1 and conv1n, poolp and poolpn.

 private:
  // Applies the convolution of that name and the normalization named with a
  // trailing n.
  Variable convolve(const std::string& name, const Variable& x);

  bool has_conv1_;
  bool has_poolp_;
  bool is_max_;
  int64_t stride_;
};

}  // namespace catena::links
