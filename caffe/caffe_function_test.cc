#include "catena/caffe/caffe_function.h"

#include <gmock/gmock.h>
#include <google/protobuf/text_format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "catena/array/core/error.h"
#include "catena/array/creation.h"
#include "catena/array/reduction/reduce.h"
#include "catena/array/ufunc/ufunc.h"
#include "catena/autograd/config.h"
#include "catena/autograd/gradient_check.h"
#include "catena/caffe/testing/net_builder.h"
#include "catena/functions/activation/relu.h"
#include "catena/functions/connection/convolution_nd.h"
#include "catena/links/connection/convolution_nd.h"
#include "catena/links/connection/linear.h"
#include "catena/serializers/hdf5.h"
#include "catena/serializers/npz.h"
#include "catena/tests/support/mutations.h"
#include "catena/tests/testing/array_matchers.h"
#include "catena/tests/testing/error_of.h"
#include "catena/tests/testing/save_and_load.h"

namespace catena::caffe {
namespace {

using ::catena::testing::error_of;
using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using testing::IsArray;
using testing::IsClose;
using testing::made_up;
using testing::NetBuilder;

CaffeFunction load(const NetBuilder& net, const CaffeOptions& options = {}) {
  return CaffeFunction::from_bytes(net.bytes(), options);
}

// The only output of a net in phase TEST.
Array run(CaffeFunction model, const CaffeFunction::Blobs& inputs,
          const std::string& output) {
  return model(inputs, {output}, {.train = false})[0].data();
}

// x -> conv -> (in place) relu -> drop -> ip -> y.
NetBuilder small_net() {
  NetBuilder net("x", {1, 2, 4, 4});
  ConvolutionParameter& params =
      *net.layer("a/conv-1", "Convolution", {"x"}, {"h"},
                 {made_up({3, 2, 3, 3}), made_up({3}, 1)})
           .mutable_convolution_param();
  params.set_num_output(3);
  params.add_kernel_size(3);
  net.layer("relu", "ReLU", {"h"}, {"h"});
  net.layer("drop", "Dropout", {"h"}, {"d"});
  net.layer("ip", "InnerProduct", {"d"}, {"y"},
            {made_up({2, 12}, 2), made_up({2}, 3)})
      .mutable_inner_product_param()
      ->set_num_output(2);
  return net;
}

Variable input() { return Variable(made_up({1, 2, 4, 4}, 5)); }

TEST(CaffeFunctionTest, LayersAreLinksUnderTheirNames) {
  CaffeFunction model = load(small_net());
  std::vector<std::string> names;
  for (const auto& [path, param] : model.namedparams()) names.push_back(path);
  EXPECT_THAT(names,
              ElementsAre("/a/conv-1/W", "/a/conv-1/b", "/ip/W", "/ip/b"));
  EXPECT_THAT(dynamic_cast<links::ConvolutionND&>(model["a/conv-1"]).W.data(),
              IsArray(made_up({3, 2, 3, 3})));
  EXPECT_NE(dynamic_cast<links::Linear*>(&model.fs()["ip"]), nullptr);
  EXPECT_EQ(model.count_params(), model.plan().count_params());
}

TEST(CaffeFunctionTest, ComputesWhatLinksAndFunctionsDo) {
  CaffeFunction model = load(small_net());
  const Variable h = functions::relu(functions::convolution_2d(
      input(), Variable(made_up({3, 2, 3, 3})), Variable(made_up({3}, 1))));
  const std::vector<Variable> blobs =
      model({{"x", input()}}, {"y", "h", "x"}, {.train = false});
  EXPECT_THAT(blobs[1].data(), IsClose(h.data()));
  EXPECT_THAT(blobs[0].data(),
              IsClose(dynamic_cast<links::Linear&>(model["ip"])(h).data()));
  EXPECT_THAT(blobs[2].data(), IsArray(input().data()));
}

TEST(CaffeFunctionTest, TrainIsTheSettingUnlessGiven) {
  CaffeFunction model = load(small_net());
  const auto dropped = [&](const CaffeCallOptions& options) {
    for (int i = 0; i < 8; ++i) {
      const auto blobs = model({{"x", input()}}, {"h", "d"}, options);
      if (array::any(array::not_equal(blobs[0].data(), blobs[1].data()))
              .item<bool>()) {
        return true;
      }
    }
    return false;
  };
  EXPECT_TRUE(dropped({}));
  EXPECT_FALSE(dropped({.train = false}));
  const auto test = using_config(&Config::train, false);
  EXPECT_FALSE(dropped({}));
  EXPECT_TRUE(dropped({.train = true}));
  EXPECT_FALSE(config().train);
}

TEST(CaffeFunctionTest, DisabledLayersAreLeftOut) {
  CaffeFunction model = load(small_net());
  const Array h =
      model({{"x", input()}}, {"h"}, {.train = false, .disable = {"relu"}})[0]
          .data();
  EXPECT_LT(array::min(h).item<float>(), 0);  // in place, so the blob is there
  EXPECT_THAT(error_of<ValueError>([&] {
                model({{"x", input()}}, {"y"}, {.disable = {"a/conv-1"}});
              }),
              HasSubstr("cannot compute blob 'y': layer 'a/conv-1' of type "
                        "'Convolution' is disabled"));
}

TEST(CaffeFunctionTest, AnyBlobMayBeAnInput) {
  CaffeFunction model = load(small_net());
  const auto blobs = model({{"x", input()}}, {"d", "y"}, {.train = false});
  EXPECT_THAT(run(model, {{"d", blobs[0]}}, "y"), IsArray(blobs[1].data()));
}

TEST(CaffeFunctionTest, BlobsThatCannotBeComputedAreNamed) {
  CaffeFunction model = load(small_net());
  EXPECT_THAT(error_of<ValueError>([&] {
                model({{"x", input()}}, {"z"});
              }),
              HasSubstr("there is no blob 'z'"));
  EXPECT_THAT(error_of<ValueError>([&] {
                model({{"z", input()}}, {"y"});
              }),
              HasSubstr("there is no blob 'z'"));
  EXPECT_THAT(
      error_of<ValueError>([&] { model({}, {"y"}); }),
      HasSubstr("cannot compute blob 'y': blob 'x' is missing: no layer of "
                "phase TRAIN makes it before it is needed, and the inputs "
                "given are none"));
  const Variable wrong(made_up({1, 3, 4, 4}));
  EXPECT_THAT(error_of<InvalidType>([&] {
                model({{"x", wrong}}, {"y"});
              }),
              HasSubstr("layer 'a/conv-1' of type 'Convolution': "));
}

TEST(CaffeFunctionTest, ForwardsAreTheLayersByName) {
  CaffeFunction model = load(small_net());
  auto forwards = model.forwards();
  EXPECT_EQ(forwards.size(), 4u);
  const Variable h = forwards.at("a/conv-1")({input()})[0];
  EXPECT_THAT(forwards.at("relu")({h})[0].data(),
              IsArray(run(model, {{"x", input()}}, "h")));
  EXPECT_THAT(error_of<ValueError>([&] { forwards.at("relu")({}); }),
              HasSubstr("expected 1 bottoms, got 0"));
}

TEST(CaffeFunctionTest, CopiesHaveParametersOfTheirOwn) {
  const CaffeFunction model = load(small_net());
  const Array before = run(model, {{"x", input()}}, "y");
  CaffeFunction twin = model;
  twin["ip"].param("b").data().fill(100);
  EXPECT_THAT(run(model, {{"x", input()}}, "y"), IsArray(before));
  EXPECT_GT(array::min(run(twin, {{"x", input()}}, "y")).item<float>(), 50);
}

TEST(CaffeFunctionTest, MovesBetweenDevices) {
  CaffeFunction model = load(small_net());
  const Array y = run(model, {{"x", input()}}, "y");
  const Device other = native_device(1);
  model.to_device(other);
  const Variable x(input().data().to_device(other));
  EXPECT_EQ(run(model, {{"x", x}}, "y").device(), other);
  EXPECT_THAT(run(model, {{"x", x}}, "y").to_device(native_device()),
              IsArray(y));
  const DeviceScope scope(other);
  EXPECT_EQ(load(small_net())["ip"].param("W").device(), other);
}

TEST(CaffeFunctionTest, IsSavedInBothFormats) {
  CaffeFunction model = load(small_net());
  const Array y = run(model, {{"x", input()}}, "y");
  for (const char* format : {"npz", "h5"}) {
    SCOPED_TRACE(format);
    CaffeFunction other = load(small_net());
    for (const Parameter& param : other.params()) param.data().fill(0);
    if (format == std::string("npz")) {
      testing::save_and_load_npz(model, other);
    } else {
      testing::save_and_load(
          model, other, "saved.h5",
          [](const std::string& path, CaffeFunction& object) {
            serializers::save_hdf5(path, object);
          },
          [](const std::string& path, CaffeFunction& object) {
            serializers::load_hdf5(path, object);
          });
    }
    EXPECT_THAT(run(other, {{"x", input()}}, "y"), IsArray(y));
  }
}

TEST(CaffeFunctionTest, GradientsMatchFiniteDifferences) {
  CaffeFunction model = load(small_net());
  for (const Parameter& param : model.params()) {
    param.set_data(param.data().astype(Dtype::kFloat64));
  }
  const Array x = made_up({1, 2, 4, 4}, 5).astype(Dtype::kFloat64);
  Variable y = model({{"x", Variable(x)}}, {"y"}, {.train = false})[0];
  gradient_check::check_backward(
      [&](const Variable& in) {
        return model({{"x", in}}, {"y"}, {.train = false})[0];
      },
      {x}, {made_up(y.shape(), 9).astype(Dtype::kFloat64)}, model.params());
}

TEST(CaffeFunctionTest, LayersOfOneNameGetNumbers) {
  NetBuilder net("x", {1, 2});
  for (int i = 0; i < 3; ++i) {
    net.layer("fc", "InnerProduct", {"x"}, {"x"},
              {made_up({2, 2}, i), made_up({2}, i)})
        .mutable_inner_product_param()
        ->set_num_output(2);
  }
  CaffeFunction model = load(net);
  EXPECT_THAT(model["fc_3"].param("W").data(), IsArray(made_up({2, 2}, 2)));
  EXPECT_EQ(model.plan().layers[1].name, "fc_2");
}

// Looking for a free number from 2 on each time would take an hour.
TEST(CaffeFunctionTest, ManyLayersMayHaveOneName) {
  NetBuilder net("x", {1, 2});
  for (int i = 0; i < 50'000; ++i) net.layer("d", "Dropout", {"x"}, {"x"});
  EXPECT_EQ(load(net).plan().layers.back().name, "d_50000");
}

TEST(CaffeFunctionTest, LayersThatShareAllParametersShareALink) {
  NetBuilder net("x", {1, 2});
  for (const char* top : {"y", "z"}) {
    LayerParameter& layer = net.layer(top, "InnerProduct", {"x"}, {top},
                                      {made_up({2, 2}), made_up({2})});
    layer.mutable_inner_product_param()->set_num_output(2);
    layer.add_param()->set_name("w");
    layer.add_param()->set_name("b");
  }
  const CaffeFunction model = load(net);
  EXPECT_EQ(model.namedparams().size(), 2u);
  EXPECT_THAT(model.plan().layers[1].reason, HasSubstr("shares"));
  const Variable x(made_up({1, 2}));
  EXPECT_THAT(run(model, {{"x", x}}, "z"),
              IsArray(run(model, {{"x", x}}, "y")));
}

TEST(CaffeFunctionTest, APartlySharedParameterIsCopiedAndSaysSo) {
  NetBuilder net("x", {1, 2});
  for (const char* top : {"y", "z"}) {
    LayerParameter& layer = net.layer(top, "InnerProduct", {"x"}, {top},
                                      {made_up({2, 2}), made_up({2})});
    layer.mutable_inner_product_param()->set_num_output(2);
    layer.add_param()->set_name("w");
  }
  const CaffeFunction model = load(net);
  EXPECT_EQ(model.namedparams().size(), 4u);
  EXPECT_THAT(model.plan().layers[1].reason,
              HasSubstr("copy of the shared parameter 'w'"));
}

TEST(CaffeFunctionTest, EmbedTakesRowsAndAddsTheBias) {
  NetBuilder net("x", {3});
  EmbedParameter& params =
      *net.layer("e", "Embed", {"x"}, {"y"}, {made_up({4, 2}), made_up({2}, 1)})
           .mutable_embed_param();
  params.set_num_output(2);
  params.set_input_dim(4);
  const Array words = array::array({2, 0, 2}, Dtype::kFloat32);
  const Array W = made_up({4, 2});
  const Array expected =
      array::array(
          std::vector<float>{
              W[2].to_vector<float>()[0], W[2].to_vector<float>()[1],
              W[0].to_vector<float>()[0], W[0].to_vector<float>()[1],
              W[2].to_vector<float>()[0], W[2].to_vector<float>()[1]},
          Shape{3, 2}) +
      made_up({2}, 1);
  EXPECT_THAT(run(load(net), {{"x", Variable(words)}}, "y"), IsClose(expected));
}

TEST(CaffeFunctionTest, PermuteReordersAxesAndKeepsTheRest) {
  NetBuilder net("x", {2, 3, 4, 5});
  PermuteParameter& params =
      *net.layer("p", "Permute", {"x"}, {"y"}).mutable_permute_param();
  for (const uint32_t axis : {0, 2, 3}) params.add_order(axis);
  const Array x = made_up({2, 3, 4, 5});
  EXPECT_THAT(run(load(net), {{"x", Variable(x)}}, "y"),
              IsArray(x.transpose({0, 2, 3, 1}).copy()));
}

// sum(max(0, 1 - s x)^p) / N with s = 1 at the label, -1 elsewhere.
TEST(CaffeFunctionTest, HingeLossHasBothNorms) {
  for (const bool l2 : {false, true}) {
    NetBuilder net("x", {3, 4});
    net.layer("in", "Input", {}, {"t"});
    LayerParameter& layer = net.layer("l", "HingeLoss", {"x", "t"}, {"loss"});
    if (l2) layer.mutable_hinge_loss_param()->set_norm(HingeLossParameter::L2);
    const Array x = made_up({3, 4});
    const std::vector<int> labels = {1, 3, 0};
    double expected = 0;
    const std::vector<float> values = x.to_vector<float>();
    for (int n = 0; n < 3; ++n) {
      for (int k = 0; k < 4; ++k) {
        const double sign = labels[n] == k ? 1 : -1;
        const double margin = std::max(0.0, 1 - sign * values[4 * n + k]);
        expected += (l2 ? margin * margin : margin) / 3;
      }
    }
    const Variable t(array::array({1, 3, 0}, Dtype::kFloat32));
    EXPECT_NEAR(
        run(load(net), {{"x", Variable(x)}, {"t", t}}, "loss").item<float>(),
        expected, 1e-5);
  }
}

// sum(-t log s(x) - (1 - t) log(1 - s(x))) / N.
TEST(CaffeFunctionTest, SigmoidCrossEntropyLossTakesAnyTargets) {
  NetBuilder net("x", {2, 3});
  net.layer("in", "Input", {}, {"t"});
  net.layer("l", "SigmoidCrossEntropyLoss", {"x", "t"}, {"loss"});
  LossParameter& valid =
      *net.layer("v", "SigmoidCrossEntropyLoss", {"x", "t"}, {"valid"})
           .mutable_loss_param();
  valid.set_ignore_label(1);
  valid.set_normalization(LossParameter::VALID);
  const Array x = made_up({2, 3});
  const std::vector<float> targets = {0, 1, 0.25, 0.5, 1, 0};
  double all = 0;
  double counted = 0;
  const std::vector<float> values = x.to_vector<float>();
  for (int i = 0; i < 6; ++i) {
    const double s = 1 / (1 + std::exp(-values[i]));
    const double loss =
        -targets[i] * std::log(s) - (1 - targets[i]) * std::log(1 - s);
    all += loss / 2;
    if (targets[i] != 1) counted += loss / 4;
  }
  const CaffeFunction::Blobs inputs = {
      {"x", Variable(x)}, {"t", Variable(array::array(targets, Shape{2, 3}))}};
  EXPECT_NEAR(run(load(net), inputs, "loss").item<float>(), all, 1e-5);
  EXPECT_NEAR(run(load(net), inputs, "valid").item<float>(), counted, 1e-5);
}

TEST(CaffeFunctionTest, LayersRefuseWhatTheyCannotDo) {
  struct Case {
    const char* type;
    const char* params;  // as text
    const char* message;
  };
  const Case cases[] = {
      {"Pooling", "pooling_param { stride: 0 }", "stride: expected numbers"},
      {"Pooling", "pooling_param { pad: 3 }", "no kernel_size is given"},
      {"LRN", "lrn_param { local_size: 2 }", "local_size: expected an odd"},
      {"Dropout", "dropout_param { dropout_ratio: 1 }", "dropout_ratio"},
      {"Exp", "exp_param { base: -3 }", "base: expected a positive number"},
      {"Log", "log_param { base: 1 }", "base must not be 1"},
      {"Tile", "tile_param { tiles: 0 }", "tiles: expected a positive number"},
      {"ArgMax", "argmax_param { top_k: 0 }", "top_k: expected a positive"},
      {"Clip", "clip_param { min: 2 }", "expected min < max"},
      {"Scale", "scale_param { num_axes: -2 }", "num_axes: expected a number"},
      {"BatchNorm", "batch_norm_param { eps: -1 }", "expected eps"},
      {"Permute", "permute_param { order: 9 }", "order: expected different"},
      {"InnerProduct", "inner_product_param { num_output: 0 }", "num_output"},
      {"PReLU", "prelu_param { channel_shared: false }", "expected 1 blobs"},
      {"Gone", "tile_param { tiles: 1 }", "the type is not known"},
      {"Eltwise", "eltwise_param { coeff: 1 }", "expected at least 2 bottoms"},
  };
  for (const Case& c : cases) {
    SCOPED_TRACE(c.type);
    NetBuilder net("x", {1, 3, 4, 4});
    ASSERT_TRUE(google::protobuf::TextFormat::MergeFromString(
        c.params, &net.layer("bad", c.type, {"x"}, {"y"})));
    EXPECT_THAT(error_of<IoError>([&] { load(net); }),
                AllOf(HasSubstr(c.message), HasSubstr("layer 'bad'")));
  }
}

TEST(CaffeFunctionTest, RunsWithinTheLimitOfElements) {
  CaffeFunction model = load(small_net(), {.max_elements = 10});
  EXPECT_THAT(error_of<ValueError>([&] {
                model({{"x", input()}}, {"h"});
              }),
              HasSubstr("exceeds the limit of 10 elements"));
}

TEST(CaffeFunctionTest, MutatedFilesGiveModelsOrErrors) {
  testing::expect_no_harm_by_mutations(
      small_net().bytes(), [](const std::string& bytes) {
        try {
          CaffeFunction model = CaffeFunction::from_bytes(
              bytes, {.strict = false, .max_elements = 1 << 16});
          model({{"x", input()}}, {"y"}, {.train = false});
        } catch (const IoError&) {
          throw;
        } catch (const Error& error) {
          throw IoError(error.what());
        }
      });
}

}  // namespace
}  // namespace catena::caffe
