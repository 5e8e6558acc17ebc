// The code of from_libtorch.md: compiled, run, and compared with the page.

#include "catena/docs/guide/from_libtorch_md.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>

#include "catena/docs/page_code.h"
#include "catena/tests/testing/array_matchers.h"
#include "catena/tests/testing/temp_folder.h"

namespace {

using catena::testing::IsArray;
using catena::testing::TempFolder;
using ::testing::HasSubstr;

class Net : public Chain<Net> {
 public:
  Net(int64_t units, int64_t classes)
      : fc1(this, "fc1", units), fc2(this, "fc2", classes) {}

  Variable forward(const Variable& x) { return fc2(F::relu(fc1(x))); }

 private:
  Child<L::Linear> fc1, fc2;
};

TEST(FromLibtorchPageTest, ThePortTrains) {
  const TempFolder folder;
  const std::string file = folder.file("net.npz");
  xp::random::seed(0);
  ::testing::internal::CaptureStdout();
  Net net(100, 10);
  optimizers::Adam optimizer({.alpha = 1e-3});
  optimizer.setup(net);
  const auto [train, test] = datasets::get_digits();
  iterators::SerialIterator batches(train, 100);
  while (batches.epoch() < 20) {
    const auto batch = dataset::concat_examples(*batches.next());
    net.cleargrads();
    const Variable y = net(batch[0]);
    const Variable loss = F::softmax_cross_entropy(y, batch[1]);
    loss.backward();
    optimizer.update();
  }

  const auto test_mode = using_config(&Config::train, false);
  const auto no_graph = no_backprop_mode();
  iterators::SerialIterator whole(test, test.size());
  const auto images = dataset::concat_examples(*whole.next());
  const Array predicted = net(images[0]).array().argmax(1);
  const Array right = xp::equal(predicted, images[1]);
  std::cout << right.sum() << " of " << test.size() << " right\n";
  serializers::save_npz(file, net);

  EXPECT_THAT(::testing::internal::GetCapturedStdout(),
              HasSubstr(" of 360 right"));
  EXPECT_GT(right.sum().item<int64_t>(), 0.9 * 360);
  EXPECT_TRUE(std::filesystem::exists(file));
}

TEST(FromLibtorchPageTest, ModelsAreValues) {
  Net a(3, 2);
  const Array x = xp::ones({1, 4}, Dtype::kFloat32);
  a(x);
  const Net b = a;
  const Net& c = a;
  a.params()[0].array().fill(7);
  EXPECT_EQ(c.params()[0].array().max().item<float>(), 7);
  EXPECT_NE(b.params()[0].array().max().item<float>(), 7);
  EXPECT_EQ(a.namedparams()[0].first, "/fc1/W");
}

// The right-hand sides of the table.
TEST(FromLibtorchPageTest, NamesMeanWhatTheTableSays) {
  const Array array = xp::array({{1.0f, 2.0f}, {3.0f, 4.0f}, {5.0f, 6.0f}});
  const Variable leaf(array);
  const Variable constant = array;
  (leaf * constant).sum().backward();
  EXPECT_THAT(leaf.grad(), IsArray(array));
  EXPECT_FALSE(constant.grad().defined());

  EXPECT_EQ(xp::zeros({2, 3}).dtype(), Dtype::kFloat64);
  EXPECT_EQ(xp::zeros({2, 3}, Dtype::kFloat32).dtype(), Dtype::kFloat32);
  EXPECT_EQ((array[{Slice(1, 3), 0}].shape()), Shape{2});
  EXPECT_EQ((leaf[{Slice(1, 3), 0}].shape()), Shape{2});
  EXPECT_EQ(leaf.reshape(2, -1).shape(), (Shape{2, 3}));
  EXPECT_EQ(leaf.T().shape(), (Shape{2, 3}));
  EXPECT_EQ(F::concat({leaf, leaf}, 1).shape(), (Shape{3, 4}));
  EXPECT_EQ(F::concat({leaf, leaf}).shape(), (Shape{3, 4}));
  EXPECT_EQ(xp::concatenate({array, array}).shape(), (Shape{6, 2}));
  EXPECT_EQ(xp::concatenate({array, array}, 1).shape(), (Shape{3, 4}));
  EXPECT_EQ(leaf.sum({.axis = 1, .keepdims = true}).shape(), (Shape{3, 1}));
  EXPECT_EQ(array.to_device(native_device(1)).device(), native_device(1));

  Sequential sequence(L::Linear(100), F::relu, L::Linear(10));
  EXPECT_EQ(sequence(leaf).shape(), (Shape{3, 10}));
  optimizers::Adam optimizer({.weight_decay_rate = 0.01});
  optimizer.setup(sequence);
  optimizer.add_hook(optimizers::WeightDecay(1e-4));
  optimizer.add_hook(optimizers::GradientClipping(5));

  const Variable x(xp::array({3.0f}));
  const Variable y = x * x * x;
  const Variable gx = grad({y}, {x}, {.enable_double_backprop = true})[0];
  EXPECT_EQ(grad({gx}, {x})[0].item<float>(), 18);
  EXPECT_EQ(L::BatchNormalizationOptions{}.decay, 0.9);
}

// The last column of the second table.

TEST(FromLibtorchPageTest, GraphsOutliveBackward) {
  const Variable x(xp::array({1.0f, 2.0f}));
  const Variable y = F::sum(x * x);
  y.backward();
  y.backward();
  EXPECT_THAT(x.grad(), IsArray(xp::array({4.0f, 8.0f})));

  Variable a = x;
  a += x;
  EXPECT_THAT(x.array(), IsArray(xp::array({1.0f, 2.0f})));
  const Array shared = xp::from_dlpack(xp::to_dlpack(x.array()));
  EXPECT_EQ(shared.raw_data(), x.array().raw_data());
}

TEST(FromLibtorchPageTest, DefaultsAreChainers) {
  xp::random::seed(0);
  const L::Linear wide(10000, 10);
  EXPECT_NEAR(wide.W.array().std().item<float>(), 0.01, 1e-3);
  EXPECT_THAT(wide.b.array(), IsArray(xp::zeros({10}, Dtype::kFloat32)));

  const Array image = xp::ones({1, 1, 5, 5}, Dtype::kFloat32);
  EXPECT_EQ(F::max_pooling_2d(image, 2).shape(), (Shape{1, 1, 3, 3}));
  EXPECT_EQ(F::max_pooling_2d(image, 2, {.cover_all = false}).shape(),
            (Shape{1, 1, 2, 2}));
  EXPECT_EQ(L::BatchNormalizationOptions{}.eps, 2e-5);

  const Array scores = xp::array({{1.0f, 2.0f}, {3.0f, 5.0f}});
  const auto loss = [&](int first, int second) {
    return F::softmax_cross_entropy(scores, xp::array({first, second}))
        .item<float>();
  };
  EXPECT_NEAR(loss(0, -1), std::log(1 + std::exp(1)), 1e-6);
  EXPECT_THROW(loss(0, -100), ValueError);
}

TEST(FromLibtorchPageTest, AdamDecaysByItsRateAndAddsEpsFirst) {
  L::Linear link(1, 1, {.nobias = true, .initialW = 2});
  optimizers::Adam adam({.alpha = 0.5, .eps = 0.1, .weight_decay_rate = 0.25});
  adam.setup(link);
  link.W.set_grad(xp::array({{3.0f}}));
  adam.update();
  // m = 0.1 g, v = 0.001 g^2
  const double alpha = 0.5 * std::sqrt(0.001) / 0.1;
  const double step = alpha * 0.3 / (std::sqrt(0.009) + 0.1);
  EXPECT_NEAR(link.W.item<float>(), 2 - step - 0.25 * 2, 1e-5);
}

TEST(FromLibtorchPageTest, MomentumKeepsTheRateOfItsTime) {
  L::Linear link(1, 1, {.nobias = true, .initialW = 0});
  optimizers::MomentumSGD sgd({.lr = 1, .momentum = 0.5});
  sgd.setup(link);
  link.W.set_grad(xp::array({{1.0f}}));
  sgd.update();
  sgd.set_hyperparameter("lr", 0);
  sgd.update();
  EXPECT_EQ(link.W.item<float>(), -1.5f);
}

TEST(FromLibtorchPageTest, WeightsComeAsSafetensors) {
  const TempFolder folder;
  const std::string weights = folder.file("net.safetensors");
  Net net(100, 10);
  const Array x = xp::random::normal(0, 1, {2, 64}, Dtype::kFloat32);
  const Variable y = net(x);
  serializers::save_safetensors(weights, net);
  EXPECT_THAT(
      serializers::SafetensorsDeserializer(weights).keys(),
      ::testing::UnorderedElementsAre("fc1/W", "fc1/b", "fc2/W", "fc2/b"));
  Net pretrained(100, 10);
  serializers::load_safetensors(weights, pretrained);
  EXPECT_THAT(pretrained(x).array(), IsArray(y.array()));
  Net smaller(50, 10);
  smaller(x);
  EXPECT_THAT(
      [&] { serializers::load_safetensors(weights, smaller); },
      ::testing::ThrowsMessage<IoError>(HasSubstr("fc1/W: expected float32")));
}

TEST(FromLibtorchPageTest, EveryBlockIsInThisFile) {
  catena::testing::expect_code_of_page(
      "docs/guide/from_libtorch.md", "docs/guide/from_libtorch_md_test.cc", 4);
}

}  // namespace
