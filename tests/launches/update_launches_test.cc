// Counts the launches of an optimizer's update, which must not grow with the
// number of parameters.

#include <gtest/gtest.h>

#include <cstdint>
#include <utility>

#include "catena/array/core/device.h"
#include "catena/array/creation.h"
#include "catena/cuda/emulation/runtime.h"
#include "catena/links/link.h"
#include "catena/links/sequential.h"
#include "catena/optimizers/adam.h"
#include "catena/optimizers/hooks.h"

namespace catena {
namespace {

constexpr Device kGpu = cuda_device(0);

class OneParam : public Link {
 public:
  OneParam(const Shape& shape, Dtype dtype)
      : W(this, "W", Initializer([](const Array& out) { out.fill(1); }, dtype),
          shape) {}
  Param W;
};

// With weights of convolutions, whose channels are last or in C order.
Sequential make_links(int count, Dtype dtype, bool are_reordered) {
  Sequential links;
  for (int i = 0; i < count; ++i) {
    OneParam link({3 + i, 5, 2, 3}, dtype);
    if (are_reordered) link.W.to_channels_last();
    links.append(std::move(link));
  }
  links.to_device(kGpu);
  return links;
}

void set_gradients(Link& links) {
  for (const Parameter& param : links.params()) {
    param.zerograd();
    param.grad().fill(0.5);
  }
}

struct Case {
  Dtype dtype;
  bool uses_copies;
  bool has_hooks;
  bool is_scaled;
  bool are_reordered;
};

// Launches of a step after the first.
int64_t launches_of_update(int params, const Case& c) {
  Sequential links = make_links(params, c.dtype, c.are_reordered);
  optimizers::Adam adam({.alpha = 0.25});
  adam.setup(links);
  adam.use_fp32_update(c.uses_copies);
  if (c.is_scaled) adam.loss_scaling({.scale = 128});
  if (c.has_hooks) {
    adam.add_hook(optimizers::WeightDecay(0.25));
    adam.add_hook(optimizers::GradientClipping(0.125));
  }
  set_gradients(links);
  adam.update();
  set_gradients(links);
  const int64_t before = cuda::emulation::launches();
  adam.update();
  return cuda::emulation::launches() - before;
}

TEST(UpdateLaunchesTest, DoNotGrowWithTheNumberOfParameters) {
  for (const Dtype dtype :
       {Dtype::kFloat16, Dtype::kBFloat16, Dtype::kFloat32}) {
    for (const bool uses_copies : {false, true}) {
      for (const bool has_hooks : {false, true}) {
        for (const auto& [is_scaled, are_reordered] : {std::pair{false, false},
                                                       {true, false},
                                                       {false, true},
                                                       {true, true}}) {
          const Case c{dtype, uses_copies, has_hooks, is_scaled, are_reordered};
          const int64_t few = launches_of_update(4, c);
          const int64_t many = launches_of_update(64, c);
          EXPECT_EQ(many, few)
              << dtype << (uses_copies ? ", copies" : "")
              << (has_hooks ? ", hooks" : "") << (is_scaled ? ", scaled" : "")
              << (are_reordered ? ", reordered" : "");
        }
      }
    }
  }
}

}  // namespace
}  // namespace catena
