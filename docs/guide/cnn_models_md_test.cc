// The code of cnn_models.md: compiled, run, and compared with the page and with
// examples/convnets.

#include "catena/docs/guide/cnn_models_md.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <sstream>
#include <string>

#include "catena/docs/page_code.h"
#include "catena/tests/support/runfiles.h"
#include "catena/tests/testing/array_matchers.h"

namespace {

using catena::testing::IsArray;
using ::testing::HasSubstr;
using ::testing::ThrowsMessage;

class LeNet5 : public Chain<LeNet5> {
 public:
  explicit LeNet5(int64_t n_classes = 10)
      : conv1(this, "conv1", 6, 5),
        conv2(this, "conv2", 16, 5),
        conv3(this, "conv3", 120, 4),
        fc4(this, "fc4", 84),
        fc5(this, "fc5", n_classes) {}

  Variable forward(const Variable& x) {
    Variable h = F::max_pooling_2d(F::sigmoid(conv1(x)), 2);
    h = F::max_pooling_2d(F::sigmoid(conv2(h)), 2);
    h = F::sigmoid(conv3(h));
    return fc5(F::sigmoid(fc4(h)));
  }

 private:
  Child<L::Convolution2D> conv1, conv2, conv3;
  Child<L::Linear> fc4, fc5;
};

class VGGBlock : public Chain<VGGBlock> {
 public:
  explicit VGGBlock(int64_t n_channels, int n_convs = 2)
      : conv1(this, "conv1", n_channels, 3, options()),
        conv2(this, "conv2", n_channels, 3, options()) {
    if (n_convs == 3) conv3.emplace(this, "conv3", n_channels, 3, options());
  }

  Variable forward(const Variable& x) {
    Variable h = F::relu(conv2(F::relu(conv1(x))));
    if (conv3) h = F::relu((*conv3)(h));
    return F::max_pooling_2d(h, 2);
  }

 private:
  static L::ConvolutionOptions options() {
    return {.pad = 1, .initialW = initializers::HeNormal()};
  }

  Child<L::Convolution2D> conv1, conv2;
  std::optional<Child<L::Convolution2D>> conv3;
};

class VGGHead : public Chain<VGGHead> {
 public:
  VGGHead(int64_t n_units, int64_t n_classes)
      : fc6(this, "fc6", n_units),
        fc7(this, "fc7", n_units),
        fc8(this, "fc8", n_classes) {}

  Variable forward(const Variable& x) {
    Variable h = F::dropout(F::relu(fc6(x)));
    h = F::dropout(F::relu(fc7(h)));
    return fc8(h);
  }

 private:
  Child<L::Linear> fc6, fc7, fc8;
};

struct VGG16Options {
  int64_t width = 64;  // channels of the first block
  int64_t n_units = 4096;
};

class VGG16 : public Callable<VGG16, ChainList> {
 public:
  explicit VGG16(int64_t n_classes = 1000, const VGG16Options& options = {}) {
    append(VGGBlock(options.width));
    append(VGGBlock(2 * options.width));
    append(VGGBlock(4 * options.width, 3));
    append(VGGBlock(8 * options.width, 3));
    append(VGGBlock(8 * options.width, 3));
    append(VGGHead(options.n_units, n_classes));
  }

  Variable forward(Variable x) {
    for (int64_t i = 0; i < 5; ++i) x = at<VGGBlock>(i)(x);
    return at<VGGHead>(5)(x);
  }
};

struct BottleNeckOptions {
  int64_t stride = 1;
  // Whether a convolution gives the input the shape of the output.
  bool proj = false;
};

class BottleNeck : public Chain<BottleNeck> {
 public:
  BottleNeck(int64_t n_mid, int64_t n_out,
             const BottleNeckOptions& options = {})
      : conv1x1a(this, "conv1x1a", n_mid, 1, convolution(options.stride, 0)),
        conv3x3b(this, "conv3x3b", n_mid, 3, convolution(1, 1)),
        conv1x1c(this, "conv1x1c", n_out, 1, convolution(1, 0)),
        bn_a(this, "bn_a", n_mid),
        bn_b(this, "bn_b", n_mid),
        bn_c(this, "bn_c", n_out) {
    if (options.proj) {
      conv1x1r.emplace(this, "conv1x1r", n_out, 1,
                       convolution(options.stride, 0));
      bn_r.emplace(this, "bn_r", n_out);
    }
  }

  Variable forward(const Variable& x) {
    Variable h = F::relu(bn_a(conv1x1a(x)));
    h = F::relu(bn_b(conv3x3b(h)));
    h = bn_c(conv1x1c(h));
    return F::relu(h + (conv1x1r ? (*bn_r)((*conv1x1r)(x)) : x));
  }

 private:
  static L::ConvolutionOptions convolution(int64_t stride, int64_t pad) {
    return {.stride = stride,
            .pad = pad,
            .nobias = true,
            .initialW = initializers::HeNormal()};
  }

  Child<L::Convolution2D> conv1x1a, conv3x3b, conv1x1c;
  Child<L::BatchNormalization> bn_a, bn_b, bn_c;
  std::optional<Child<L::Convolution2D>> conv1x1r;
  std::optional<Child<L::BatchNormalization>> bn_r;
};

class ResBlock : public Callable<ResBlock, ChainList> {
 public:
  ResBlock(int n_layers, int64_t n_mid, int64_t n_out, int64_t stride = 2) {
    append(BottleNeck(n_mid, n_out, {.stride = stride, .proj = true}));
    for (int i = 1; i < n_layers; ++i) append(BottleNeck(n_mid, n_out));
  }

  Variable forward(Variable x) {
    for (int64_t i = 0; i < size(); ++i) x = at<BottleNeck>(i)(x);
    return x;
  }
};

struct ResNet152Options {
  int64_t width = 64;  // channels of the first convolution
  std::array<int, 4> n_blocks = {3, 8, 36, 3};
};

class ResNet152 : public Chain<ResNet152> {
 public:
  explicit ResNet152(int64_t n_classes = 1000,
                     const ResNet152Options& options = {})
      : conv1(this, "conv1", options.width, 7,
              {.stride = 2,
               .pad = 3,
               .nobias = true,
               .initialW = initializers::HeNormal()}),
        bn1(this, "bn1", options.width),
        res2(this, "res2", options.n_blocks[0], options.width,
             4 * options.width, 1),
        res3(this, "res3", options.n_blocks[1], 2 * options.width,
             8 * options.width),
        res4(this, "res4", options.n_blocks[2], 4 * options.width,
             16 * options.width),
        res5(this, "res5", options.n_blocks[3], 8 * options.width,
             32 * options.width),
        fc6(this, "fc6", n_classes) {}

  Variable forward(const Variable& x) {
    Variable h = F::relu(bn1(conv1(x)));
    h = F::max_pooling_2d(h, 2);
    h = res5(res4(res3(res2(h))));
    return fc6(F::mean(h, {2, 3}));  // the mean of each channel
  }

 private:
  Child<L::Convolution2D> conv1;
  Child<L::BatchNormalization> bn1;
  Child<ResBlock> res2, res3, res4, res5;
  Child<L::Linear> fc6;
};

TEST(CnnModelsPageTest, LeNet5IsAChainOrAList) {
  xp::random::seed(0);
  LeNet5 lenet;
  const Variable x(xp::random::uniform(0, 1, {32, 1, 28, 28}, Dtype::kFloat32));
  const Variable y = lenet(x);  // (32, 10)
  EXPECT_EQ(y.shape(), (Shape{32, 10}));
  EXPECT_EQ(lenet.count_params(), 44426);

  const auto pool = [](const Variable& h) { return F::max_pooling_2d(h, 2); };
  Sequential list(L::Convolution2D(6, 5), F::sigmoid, pool,
                  L::Convolution2D(16, 5), F::sigmoid, pool,
                  L::Convolution2D(120, 4), F::sigmoid, L::Linear(84),
                  F::sigmoid, L::Linear(10));
  list(x);
  ASSERT_EQ(list.params().size(), lenet.params().size());
  for (size_t i = 0; i < list.params().size(); ++i) {
    list.params()[i].copydata(lenet.params()[i]);
  }
  EXPECT_THAT(list(x).data(), IsArray(y.data()));
  EXPECT_EQ(list.namedparams()[2].first, "/3/W");

  const Variable t(xp::zeros({32}, Dtype::kInt32));
  const Variable loss = F::softmax_cross_entropy(lenet(x), t);
  L::Classifier model(LeNet5(10));
  const Variable same =
      model(x, t);  // the loss; also reports it, and the accuracy
  EXPECT_EQ(loss.ndim(), 0);
  EXPECT_EQ(same.ndim(), 0);
  EXPECT_EQ(F::softmax(model.y).shape(), (Shape{32, 10}));
}

// The layers that the networks are named for.
int64_t layers_of(const Link& network) {
  const auto params = network.namedparams();
  return std::ranges::count_if(params, [](const auto& named) {
    return named.first.ends_with("/W") && !named.first.ends_with("1x1r/W");
  });
}

TEST(CnnModelsPageTest, DeepNetworksAreMadeOfBlocks) {
  VGG16 vgg(10, {.width = 4, .n_units = 32});
  const Variable scores =
      vgg(xp::zeros({2, 3, 32, 32}, Dtype::kFloat32));  // (2, 10)
  EXPECT_EQ(scores.shape(), (Shape{2, 10}));
  EXPECT_EQ(layers_of(vgg), 16);

  ResNet152 resnet(10, {.width = 2});
  const Variable logits =
      resnet(xp::zeros({2, 3, 32, 32}, Dtype::kFloat32));  // (2, 10)
  EXPECT_EQ(logits.shape(), (Shape{2, 10}));
  EXPECT_EQ(layers_of(resnet), 152);
  ResNet152 resnet50(10, {.width = 2, .n_blocks = {3, 4, 6, 3}});
  EXPECT_EQ(layers_of(resnet50), 50);

  LeNet5 lenet;
  lenet(xp::zeros({1, 1, 28, 28}, Dtype::kFloat32));
  EXPECT_THAT(
      [&] {
        lenet(xp::zeros({1, 1, 20, 20}, Dtype::kFloat32));
      },
      ThrowsMessage<Error>(
          HasSubstr("in link /conv3: Invalid operation is "
                    "performed in: convolution_nd (Forward)")));
}

// Features of images (h, w, 3), without graph and in test mode.
Variable features_of(L::ResNet50Layers& network,
                     const std::vector<Array>& images) {
  const auto test_mode = using_config(&Config::train, false);
  const auto no_graph = no_backprop_mode();
  return network.extract(images, {.layers = {"pool5"}}).at("pool5");
}

TEST(CnnModelsPageTest, FeaturesFeedANewHead) {
  const L::PretrainedModel pretrained = std::nullopt;
  const std::vector<Array> photos = {
      xp::random::randint(0, 256, {40, 60, 3}).astype(Dtype::kUInt8),
      xp::random::randint(0, 256, {50, 30, 3}).astype(Dtype::kUInt8)};
  const Array labels = xp::array({0, 1}, Dtype::kInt32);

  L::ResNet50Layers resnet50(pretrained);
  const Variable f = features_of(resnet50, photos);  // (2, 2048)
  L::Classifier head(L::Linear(2));
  optimizers::Adam optimizer;
  optimizer.setup(head);
  optimizer.update([&] { return head(f, labels); });
  EXPECT_EQ(f.shape(), (Shape{2, 2048}));
  EXPECT_EQ(f.creator_node(), nullptr);
  EXPECT_EQ(head.count_params(), 2 * 2048 + 2);
}

std::string squeezed(const std::string& path) {
  std::ifstream file(catena::testing::runfile(path));
  std::ostringstream text;
  text << file.rdbuf();
  std::string result = text.str();
  std::erase_if(result, [](unsigned char c) { return std::isspace(c); });
  return result;
}

TEST(CnnModelsPageTest, TheClassesAreThoseOfTheExample) {
  const std::string page = squeezed("docs/guide/cnn_models.md");
  const std::string header = squeezed("examples/convnets/convnets.h");
  for (const std::string name :
       {"classLeNet5:", "classVGGBlock:", "classVGGHead:",
        "structVGG16Options{", "classVGG16:", "structBottleNeckOptions{",
        "classBottleNeck:", "classResBlock:", "structResNet152Options{",
        "classResNet152:"}) {
    const size_t begin = page.find(name);
    ASSERT_NE(begin, std::string::npos) << name;
    const size_t end = std::min(page.find("```", begin), page.size());
    std::string code = page.substr(begin, end - begin);
    code =
        code.substr(0, std::min(code.find("};class"), code.find("};struct")));
    EXPECT_THAT(header, HasSubstr(code));
  }
}

TEST(CnnModelsPageTest, EveryBlockIsInThisFile) {
  catena::testing::expect_code_of_page("docs/guide/cnn_models.md",
                                       "docs/guide/cnn_models_md_test.cc", 14);
}

}  // namespace
