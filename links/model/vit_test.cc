#include "catena/links/model/vit.h"

#include <gmock/gmock.h>

#include <functional>

#include "catena/array/core/error.h"
#include "catena/array/creation.h"
#include "catena/functions/math/operators.h"
#include "catena/functions/math/sum.h"
#include "catena/tests/testing/device_test.h"
#include "catena/tests/testing/error_of.h"
#include "catena/tests/testing/function_gradients.h"

namespace catena::links {
namespace {

using ::catena::testing::error_of;
using ::testing::HasSubstr;

VitOptions tiny_vit() {
  return {.image_size = 6,
          .patch_size = 3,
          .channels = 2,
          .units = 12,
          .hidden = 20,
          .heads = 3,
          .layers = 2,
          .pooler = true,
          .classes = 5};
}

Variable pixels(const Shape& shape) {
  return Variable(testing::uniform(shape, -1, 1, Dtype::kFloat32));
}

class VitTest : public ::catena::testing::DeviceTest {};
INSTANTIATE_TEST_SUITE_P(Devices, VitTest, ::catena::testing::every_device());

TEST_P(VitTest, EveryParameterGetsAGradient) {
  Vit model(tiny_vit());
  model.to_device(device());
  const Variable x = pixels({2, 2, 6, 6});
  const Variable features = model.features(x);
  EXPECT_EQ(features.shape(), Shape({2, 5, 12}));
  const Variable scores = model(x);
  EXPECT_EQ(scores.shape(), Shape({2, 5}));
  const Variable loss =
      functions::sum(scores) + functions::sum(model.pooled(features));
  loss.backward();
  for (const auto& [name, parameter] : model.namedparams()) {
    EXPECT_EQ(parameter.grad().shape(), parameter.shape()) << name;
  }
  EXPECT_EQ(x.grad().shape(), x.shape());
}

TEST(VitErrorTest, NamesWhatDoesNotFit) {
  const auto message = [](const std::function<void(VitOptions&)>& change) {
    VitOptions options = tiny_vit();
    change(options);
    return error_of<ValueError>([&] { Vit model(options); });
  };
  EXPECT_THAT(message([](VitOptions& o) { o.patch_size = 4; }),
              HasSubstr("got 6, 4 and 2"));
  EXPECT_THAT(message([](VitOptions& o) { o.layers = 0; }),
              HasSubstr("1 to 65536 layers, got 0"));
  EXPECT_THAT(message([](VitOptions& o) { o.classes = -1; }),
              HasSubstr("got 12 and -1"));
  EXPECT_THAT(message([](VitOptions& o) { o.heads = 5; }),
              HasSubstr("expected heads to divide units"));
  VitOptions options = tiny_vit();
  options.classes = 0;
  options.pooler = false;
  Vit bare(options);
  EXPECT_THAT(error_of<ValueError>([&] {
                bare(pixels({1, 2, 6, 6}));
              }),
              HasSubstr("a model with classes"));
  EXPECT_THAT(error_of<InvalidType>([&] {
                bare.features(pixels({1, 3, 6, 6}));
              }),
              HasSubstr("shape (B, 2, 6, 6), got (1, 3, 6, 6)"));
  const Variable features = bare.features(pixels({1, 2, 6, 6}));
  EXPECT_THAT(error_of<ValueError>([&] { bare.pooled(features); }),
              HasSubstr("a model with a pooler"));
}

}  // namespace
}  // namespace catena::links
