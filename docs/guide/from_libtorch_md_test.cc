// The code of from_libtorch.md: compiled, run, and compared with the page.

#include "catena/docs/guide/from_libtorch_md.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

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

TEST(FromLibtorchPageTest, EveryBlockIsInThisFile) {
  catena::testing::expect_code_of_page(
      "docs/guide/from_libtorch.md", "docs/guide/from_libtorch_md_test.cc", 3);
}

}  // namespace
