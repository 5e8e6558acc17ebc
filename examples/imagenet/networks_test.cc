#include "catena/examples/imagenet/networks.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <string>
#include <vector>

#include "catena/array/core/error.h"
#include "catena/array/creation.h"
#include "catena/array/random/random.h"
#include "catena/autograd/config.h"
#include "catena/autograd/variable.h"
#include "catena/links/link.h"
#include "catena/links/reporter.h"
#include "catena/optimizers/momentum_sgd.h"
#include "catena/tests/testing/error_of.h"

namespace catena::examples {
namespace {

using ::catena::testing::error_of;

// Random pictures with labels 0, 1, ...
struct Batch {
  Batch(int64_t size, int64_t insize)
      : x(array::random::uniform(-0.5, 0.5, {size, 3, insize, insize},
                                 Dtype::kFloat32)),
        t(array::arange(0, size, 1, Dtype::kInt32)) {}
  Variable x, t;
};

// For ImageNet's 1,000 classes. These of AlexNet in one piece, GoogLeNet with
// its two classifiers halfway, NIN, ResNet50 and ResNeXt50 are well known;
// here, conv1 of the last two has 64 biases more.
TEST(NetworksTest, HaveAsManyParametersAsTheOriginals) {
  const std::map<std::string, int64_t> expected = {
      {"alex", 62378344}, {"googlenet", 13378280}, {"googlenetbn", 17587128},
      {"nin", 7595176},   {"resnet50", 25557096},  {"resnext50", 25028968}};
  const auto test_mode = using_config(&Config::train, false);
  const auto no_graph = no_backprop_mode();
  for (const auto& [name, count] : expected) {
    SCOPED_TRACE(name);
    with_network(name, [&count = count]<class Net>() {
      Net net(1000);
      const Batch batch(1, Net::kInsize);
      EXPECT_TRUE(
          std::isfinite(net(batch.x, batch.t).data().template item<float>()));
      EXPECT_EQ(net.count_params(), count);
    });
  }
}

TEST(NetworksTest, LearnTwoPicturesByHeart) {
  for (const std::string name :
       {"alex", "googlenet", "googlenetbn", "nin", "resnet50", "resnext50"}) {
    SCOPED_TRACE(name);
    with_network(name, []<class Net>() {
      array::random::seed(0);
      Net net(8);
      const Batch batch(2, Net::kSmallInsize);
      optimizers::MomentumSGD optimizer({.lr = 0.01});
      optimizer.setup(net);
      Reporter reporter;
      reporter.add_observer("main", net);
      std::vector<double> losses;
      for (int i = 0; i < 5; ++i) {
        Observation observation;
        const auto scope = reporter.scope(observation);
        optimizer.update([&] { return net(batch.x, batch.t); });
        losses.push_back(observation["main/loss"].as_double());
        EXPECT_TRUE(observation.contains("main/accuracy"));
      }
      for (const auto& [path, parameter] : net.namedparams()) {
        EXPECT_TRUE(parameter.grad().defined()) << path;
      }
      EXPECT_LT(*std::ranges::min_element(losses), losses[0] - 0.02);
    });
  }
}

TEST(NetworksTest, NamesAreListed) {
  EXPECT_THAT(
      error_of<ValueError>([] { with_network("lenet", []<class Net>() {}); }),
      "expected alex, googlenet, googlenetbn, nin, resnet50 or "
      "resnext50, got 'lenet'");
}

}  // namespace
}  // namespace catena::examples
