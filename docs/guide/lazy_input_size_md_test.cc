// The code of lazy_input_size.md: compiled, run, and compared with the page.

#include "catena/docs/guide/lazy_input_size_md.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "catena/docs/page_code.h"
#include "catena/tests/testing/array_matchers.h"
#include "catena/tests/testing/temp_folder.h"

namespace {

using catena::testing::IsArray;
using ::testing::Not;

TEST(LazyInputSizePageTest, TheFirstCallDecides) {
  ::testing::internal::CaptureStdout();
  L::Linear l(2);
  std::cout << std::boolalpha << l.W.is_initialized() << '\n';  // false
  const Variable y = l(xp::ones({4, 3}, Dtype::kFloat32));
  std::cout << l.W.shape() << '\n';  // (2, 3)
  EXPECT_EQ(::testing::internal::GetCapturedStdout(), "false\n(2, 3)\n");
  EXPECT_EQ(y.shape(), (Shape{4, 2}));
  EXPECT_THROW(l(xp::ones({4, 5}, Dtype::kFloat32)), InvalidType);

  EXPECT_FALSE(L::Linear(std::nullopt, 2).W.is_initialized());
  EXPECT_TRUE(L::LSTM(50).has_uninitialized_params());
  EXPECT_TRUE(L::BatchNormalization().has_uninitialized_params());
}

class ConvNet : public Chain<ConvNet> {
 public:
  ConvNet()
      : conv1(this, "conv1", 16, 5),
        conv2(this, "conv2", 32, 5),
        out(this, "out", 10) {}

  // x is (N, channels, height, width), of any size that is large enough.
  Variable forward(const Variable& x) {
    Variable h = F::max_pooling_2d(F::relu(conv1(x)), 2);
    h = F::max_pooling_2d(F::relu(conv2(h)), 2);
    return out(h);
  }

 private:
  Child<L::Convolution2D> conv1, conv2;
  Child<L::Linear> out;
};

template <class Model>
void initialize(Model& model, const Shape& shape) {
  const auto no_graph = no_backprop_mode();
  const auto test_mode = using_config(&Config::train, false);
  model(xp::zeros(shape, Dtype::kFloat32));
}

TEST(LazyInputSizePageTest, ConvolutionsWait) {
  ::testing::internal::CaptureStdout();
  ConvNet model;
  std::cout << L::summary(model);
  EXPECT_EQ(::testing::internal::GetCapturedStdout(),
            R"(path      type           shape          elements
/         ConvNet
/conv1    Convolution2D
/conv1/W                 uninitialized
/conv1/b  float32        (16,)                16
/conv2    Convolution2D
/conv2/W                 uninitialized
/conv2/b  float32        (32,)                32
/out      Linear
/out/W                   uninitialized
/out/b    float32        (10,)                10
total                                         58, without 3 uninitialized
)");
  model(xp::ones({8, 1, 28, 28}, Dtype::kFloat32));
  EXPECT_EQ(model["out"].param("W").shape(), (Shape{10, 512}));
}

TEST(LazyInputSizePageTest, ModelsCanBeUsedBeforeTheFirstMinibatch) {
  const catena::testing::TempFolder folder;
  const std::string file = folder.file("model.npz");
  const Array x = xp::ones({2, 1, 28, 28}, Dtype::kFloat32);

  ConvNet trained;
  optimizers::SGD optimizer;
  optimizer.setup(trained);
  trained.cleargrads();
  trained.zerograds();
  trained.to_device(native_device());
  EXPECT_EQ(trained.count_params(), 58);
  EXPECT_EQ(trained.params(false).size(), 3);
  ConvNet twin = trained;
  EXPECT_TRUE(twin.has_uninitialized_params());
  EXPECT_THROW(trained["out"].param("W").array().fill(0), ValueError);
  serializers::save_npz(file, trained);
  serializers::load_npz(file, twin);
  EXPECT_TRUE(twin.has_uninitialized_params());

  optimizer.update([&] { return F::sum(trained(x)); });
  twin.copyparams(trained);
  EXPECT_THAT(twin(x).array(), IsArray(trained(x).array()));

  serializers::save_npz(file, trained);
  ConvNet loaded;
  serializers::load_npz(file, loaded);
  EXPECT_FALSE(loaded.has_uninitialized_params());
  EXPECT_THAT(loaded(x).array(), IsArray(trained(x).array()));

  L::Linear l(2);
  l.W.initialize({2, 3});
  EXPECT_EQ(l.W.shape(), (Shape{2, 3}));
  ConvNet other;
  initialize(other, {1, 1, 28, 28});
  EXPECT_FALSE(other.has_uninitialized_params());
}

TEST(LazyInputSizePageTest, TheTrapsAreReal) {
  const Array x = xp::ones({4, 3}, Dtype::kFloat32);
  L::Linear l(2);
  L::Linear shared = copy(l, CopyMode::kShare);
  l(x);
  shared(x);
  EXPECT_THAT(shared.W.array(), Not(IsArray(l.W.array())));
  EXPECT_THAT(copy(l, CopyMode::kShare).W.array(), IsArray(l.W.array()));

  Sequential model(L::Linear(2), L::Linear(2));
  auto& unused = model.at<L::Linear>(1);
  optimizers::SGD optimizer;
  optimizer.setup(model);
  optimizer.update([&] { return F::sum(model.at<L::Linear>(0)(x)); });
  EXPECT_FALSE(unused.W.is_initialized());

  xp::random::seed(5);
  L::Linear first(3, 3);
  xp::random::seed(5);
  L::Linear constructed_first(3);
  L::Linear called_first(3);
  called_first(x);
  constructed_first(x);
  EXPECT_THAT(called_first.W.array(), IsArray(first.W.array()));
}

TEST(LazyInputSizePageTest, EveryBlockIsInThisFile) {
  catena::testing::expect_code_of_page("docs/guide/lazy_input_size.md",
                                       "docs/guide/lazy_input_size_md_test.cc",
                                       6);
}

}  // namespace
