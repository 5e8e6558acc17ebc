#include "catena/links/model/googlenet.h"

#include <gmock/gmock.h>

#include "catena/array/creation.h"
#include "catena/array/index.h"
#include "catena/array/reduction/reduce.h"
#include "catena/array/ufunc/ufunc.h"
#include "catena/autograd/config.h"
#include "catena/tests/testing/device_test.h"

namespace catena::links {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;

std::vector<std::string> param_names(const Link& link) {
  std::vector<std::string> names;
  for (const auto& [name, param] : link.namedparams()) names.push_back(name);
  return names;
}

class GoogLeNetTest : public testing::DeviceTest {};
INSTANTIATE_TEST_SUITE_P(Devices, GoogLeNetTest, testing::every_device(),
                         testing::device_name);

TEST_P(GoogLeNetTest, SubtractsItsMean) {
  const Array image = googlenet_prepare(array::zeros({2, 2}));
  EXPECT_EQ(image.shape(), Shape({3, 224, 224}));
  EXPECT_THAT((-image[{Slice(), 0, 0}]).to_vector<float>(),
              ElementsAre(104.0f, 117.0f, 123.0f));
}

TEST(GoogLeNetModelTest, HasTheOriginalsParameters) {
  GoogLeNet model(std::nullopt);
  EXPECT_THAT(param_names(model), Contains("/inc3a/proj5/W"));
  EXPECT_THAT(param_names(model), Contains("/loss2_fc1/b"));
  EXPECT_EQ(model.available_layers().size(), 21u);
  const auto scope = no_backprop_mode();
  const auto test = using_config(&Config::train, false);
  const Variable x(array::ones({1, 3, 224, 224}, Dtype::kFloat32));
  const auto y =
      model(x, {"inception_4a", "pool5", "prob", "loss1_fc2", "loss2_fc2"});
  EXPECT_EQ(y.at("inception_4a").shape(), Shape({1, 512, 14, 14}));
  EXPECT_EQ(y.at("pool5").shape(), Shape({1, 1024, 1, 1}));
  EXPECT_NEAR(array::sum(y.at("prob").data()).item<double>(), 1, 1e-5);
  EXPECT_EQ(y.at("loss1_fc2").shape(), Shape({1, 1000}));
  EXPECT_EQ(y.at("loss2_fc2").shape(), Shape({1, 1000}));
}

}  // namespace
}  // namespace catena::links
