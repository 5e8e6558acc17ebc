#include "catena/caffe/export_caffe.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "catena/array/core/error.h"
#include "catena/array/creation.h"
#include "catena/autograd/config.h"
#include "catena/autograd/function_node.h"
#include "catena/caffe/caffe_function.h"
#include "catena/caffe/testing/net_builder.h"
#include "catena/functions/activation/elu.h"
#include "catena/functions/activation/leaky_relu.h"
#include "catena/functions/activation/relu.h"
#include "catena/functions/activation/sigmoid.h"
#include "catena/functions/activation/softmax.h"
#include "catena/functions/activation/tanh.h"
#include "catena/functions/array/concat.h"
#include "catena/functions/array/reshape.h"
#include "catena/functions/connection/linear.h"
#include "catena/functions/math/operators.h"
#include "catena/functions/normalization/local_response_normalization.h"
#include "catena/functions/pooling/average_pooling.h"
#include "catena/functions/pooling/max_pooling.h"
#include "catena/links/chain.h"
#include "catena/links/connection/convolution_nd.h"
#include "catena/links/connection/deconvolution_nd.h"
#include "catena/links/connection/linear.h"
#include "catena/links/normalization/batch_normalization.h"
#include "catena/tests/support/runfiles.h"
#include "catena/tests/testing/array_matchers.h"
#include "catena/tests/testing/error_of.h"
#include "catena/tests/testing/temp_folder.h"

namespace catena::caffe {
namespace {

namespace F = functions;
namespace L = links;

using ::catena::testing::error_of;
using ::testing::AllOf;
using ::testing::HasSubstr;
using testing::IsClose;
using testing::made_up;

// Every layer type that is exported.
class Everything : public Chain<Everything> {
 public:
  Everything()
      : conv(this, "conv", 4, 6, 3,
             L::ConvolutionOptions{
                 .stride = {2, 1}, .pad = {1, 2}, .groups = 2}),
        bn(this, "bn", 6),
        dilated(this, "dilated", 6, 4, 3,
                L::ConvolutionOptions{.pad = 2, .nobias = true, .dilate = 2}),
        up(this, "up", 4, 3, 2, L::DeconvolutionOptions{.stride = 2}),
        fc(this, "fc", 5) {
    bn->avg_mean.assign(made_up({6}, 1));
    bn->avg_var.assign(made_up({6}, 2) * made_up({6}, 2) + 0.5f);
    bn->gamma.data().assign(made_up({6}, 3));
  }

  Variable forward(const Variable& x) {
    Variable h = F::relu(bn(conv(x)));
    h = F::max_pooling_2d(h, 3, {.stride = 2});
    h = F::local_response_normalization(h, {.n = 3, .alpha = 0.1});
    const Variable a = F::leaky_relu(dilated(h), {.slope = 0.3});
    const Variable b = F::sigmoid(a) + F::tanh(a);
    h = up(F::concat({F::average_pooling_2d(b, 2, {.stride = 1})}));
    h = F::concat({h, F::max_pooling_2d(h, 3, {.stride = 1, .pad = 1})});
    h = F::reshape(h, {h.shape()[0], -1});
    return F::softmax(fc(h));
  }

 private:
  Child<L::Convolution2D> conv;
  Child<L::BatchNormalization> bn;
  Child<L::Convolution2D> dilated;
  Child<L::Deconvolution2D> up;
  Child<L::Linear> fc;
};

TEST(ExportCaffeTest, WhatIsExportedComesBackToTheSameNumbers) {
  const testing::TempFolder folder;
  Everything model;
  const Variable x(made_up({2, 4, 9, 8}));
  export_caffe(model, x, folder.file("net"), {.graph_name = "everything"});
  CaffeFunction net(folder.file("net/chainer_model.caffemodel"));
  EXPECT_TRUE(net.plan().is_complete());
  EXPECT_EQ(net.plan().net, "everything");
  const auto test = using_config(&Config::train, false);
  const Variable other(made_up({2, 4, 9, 8}, 7));
  EXPECT_THAT(
      net({{"data", other}}, {net.plan().layers.back().tops[0]})[0].data(),
      IsClose(model(other).data(), {.rtol = 1e-4, .atol = 1e-5}));
  EXPECT_THAT(
      testing::read_file(folder.file("net/chainer_model.prototxt")),
      AllOf(HasSubstr("name: \"everything\""), HasSubstr("type: \"LRN\""),
            HasSubstr("negative_slope: 0.3"), HasSubstr("group: 2"),
            ::testing::Not(HasSubstr("blobs"))));
}

TEST(ExportCaffeTest, AnImportedNetComesThrough) {
  const testing::TempFolder folder;
  CaffeFunction model(testing::runfile("tests/golden/caffe/lenet.caffemodel"));
  const Variable x(made_up({2, 1, 28, 28}));
  const std::vector<Variable> outputs =
      model({{"data", x}}, {"prob"}, {.train = false});
  export_caffe(outputs, folder.path());
  CaffeFunction again(folder.file("chainer_model.caffemodel"));
  EXPECT_THAT(again({{"data", x}}, {again.plan().layers.back().tops[0]},
                    {.train = false})[0]
                  .data(),
              IsClose(outputs[0].data()));
}

TEST(ExportCaffeTest, SeveralInputsAndOutputsAndNoParams) {
  const testing::TempFolder folder;
  const Variable x(made_up({2, 3}));
  const Variable y(made_up({2, 3}, 1));
  export_caffe({F::relu(x + y), F::tanh(x)}, folder.path(),
               {.export_params = false});
  EXPECT_THAT(testing::read_file(folder.file("chainer_model.prototxt")),
              AllOf(HasSubstr("top: \"data1\""), HasSubstr("\"TanH\"")));
  EXPECT_THROW(testing::read_file(folder.file("chainer_model.caffemodel")),
               IoError);
}

TEST(ExportCaffeTest, WhatCaffeDoesNotHaveIsNamed) {
  const testing::TempFolder folder;
  const Variable x(made_up({1, 2, 4, 4}));
  EXPECT_THAT(error_of<NotImplementedError>(
                  [&] { export_caffe({F::elu(x)}, folder.path()); }),
              HasSubstr("there is no layer for elu"));
  EXPECT_THAT(error_of<ValueError>([&] { export_caffe({}, folder.path()); }),
              HasSubstr("at least one output"));
  EXPECT_THAT(error_of<ValueError>([&] {
                export_caffe({x + Variable(made_up({4}))}, folder.path());
              }),
              HasSubstr("of equal shape"));
  // 2 with pad 1 and stride 2 over 4: the last window starts beyond the image.
  EXPECT_THAT(error_of<ValueError>([&] {
                export_caffe({F::max_pooling_2d(Variable(made_up({1, 1, 5, 5})),
                                                2, {.stride = 3, .pad = 1})},
                             folder.path());
              }),
              HasSubstr("starts beyond the image"));
  EXPECT_THAT(error_of<IoError>(
                  [&] { export_caffe({F::relu(x)}, "/proc/no/such/folder"); }),
              HasSubstr("cannot create the folder"));
}

// A user's own function.
class Own final : public FunctionNode {
 public:
  explicit Own(std::string_view label) : label_(label) {}
  std::string_view label() const override { return label_; }
  Arrays forward(const Arrays& in) override { return {in[0] * 3.0}; }
  Variables backward(const Indexes&, const Variables& gy) override {
    return {gy[0] * 3.0};
  }

 private:
  std::string_view label_;
};

TEST(ExportCaffeTest, AUsersFunctionIsNotTakenForOneOfTheSameLabel) {
  const testing::TempFolder folder;
  for (const std::string_view label : {"linear", "relu", "_ + _", "concat"}) {
    const Variable y = F::relu(apply<Own>({Variable(made_up({2, 3}))}, label));
    EXPECT_THAT(error_of<NotImplementedError>(
                    [&] { export_caffe({y}, folder.path()); }),
                HasSubstr(str("there is no layer for ", label)));
  }
}

TEST(ExportCaffeTest, TheAxisOfAJoinIsTheFunctions) {
  const testing::TempFolder folder;
  const Variable x(made_up({2, 3}));
  const Variable none(made_up({0, 3}));
  export_caffe({F::concat({x, none}, {.axis = -2})}, folder.path());
  EXPECT_THAT(testing::read_file(folder.file("chainer_model.prototxt")),
              AllOf(HasSubstr("\"Concat\""), HasSubstr("axis: 0")));
}

TEST(ExportCaffeTest, WeightsThatAreGoneAreNamed) {
  const testing::TempFolder folder;
  // As a constant, x does not make the function keep W.
  const Variable x = as_variable(made_up({1, 2, 4, 4}));
  const Variable y = F::convolution_2d(x, Variable(made_up({3, 2, 3, 3})));
  EXPECT_THAT(
      error_of<ValueError>([&] { export_caffe({y}, folder.path()); }),
      HasSubstr("convolution_2d: expected input 1 to be held by a link"));
  EXPECT_NO_THROW(export_caffe({y}, folder.path(), {.export_params = false}));
}

}  // namespace
}  // namespace catena::caffe
