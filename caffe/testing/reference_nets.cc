#include "catena/caffe/testing/reference_nets.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "catena/array/core/error.h"
#include "catena/array/creation.h"
#include "catena/tests/testing/array_matchers.h"

namespace catena::testing {
namespace {

using caffe::PoolingParameter;
using links::ImageModel;

struct Window {
  uint32_t size;
  uint32_t stride = 1;
  uint32_t pad = 0;
  uint32_t group = 1;
};

// Adds layers with the parameters of a link, found by name.
class ReferenceNet {
 public:
  explicit ReferenceNet(int64_t size) : net_("data", {1, 3, size, size}) {}
  ReferenceNet(const Link& model, int64_t size) : ReferenceNet(size) {
    for (const auto& [path, param] : model.namedparams()) {
      params_.emplace(path.substr(1), param.data());
    }
  }

  NetBuilder take() { return std::move(net_); }
  const Array& param(const std::string& name) const { return params_.at(name); }

  std::string convolution(const std::string& name, const std::string& bottom,
                          const Array& W, const Array& b,
                          const Window& window) {
    std::vector<Array> blobs = {W};
    if (b.defined()) blobs.push_back(b);
    caffe::ConvolutionParameter& params =
        *net_.layer(name, "Convolution", {bottom}, {name}, blobs)
             .mutable_convolution_param();
    params.set_num_output(static_cast<uint32_t>(W.shape()[0]));
    params.add_kernel_size(window.size);
    params.add_stride(window.stride);
    params.add_pad(window.pad);
    params.set_group(window.group);
    params.set_bias_term(b.defined());
    return name;
  }
  // Named like the link, with its bias if it has one.
  std::string convolution(const std::string& name, const std::string& bottom,
                          const std::string& link, const Window& window) {
    const auto b = params_.find(link + "/b");
    return convolution(name, bottom, param(link + "/W"),
                       b == params_.end() ? Array() : b->second, window);
  }
  std::string inner_product(const std::string& name, const std::string& bottom,
                            const Array& W, const Array& b) {
    net_.layer(name, "InnerProduct", {bottom}, {name}, {W, b})
        .mutable_inner_product_param()
        ->set_num_output(static_cast<uint32_t>(W.shape()[0]));
    return name;
  }
  std::string inner_product(const std::string& name, const std::string& bottom,
                            const std::string& link) {
    return inner_product(name, bottom, param(link + "/W"), param(link + "/b"));
  }
  std::string relu(const std::string& blob) {
    net_.layer("relu_" + blob, "ReLU", {blob}, {blob});
    return blob;
  }
  std::string pooling(const std::string& name, const std::string& bottom,
                      PoolingParameter::PoolMethod method,
                      const Window& window) {
    PoolingParameter& params =
        *net_.layer(name, "Pooling", {bottom}, {name}).mutable_pooling_param();
    params.set_pool(method);
    params.set_kernel_size(window.size);
    params.set_stride(window.stride);
    params.set_pad(window.pad);
    return name;
  }
  std::string lrn(const std::string& name, const std::string& bottom) {
    net_.layer(name, "LRN", {bottom}, {name})
        .mutable_lrn_param()
        ->set_alpha(1e-4f);
    return name;
  }
  std::string plain(const std::string& name, const char* type,
                    const std::vector<std::string>& bottoms) {
    net_.layer(name, type, bottoms, {name});
    return name;
  }
  // In place; initial statistics, as in links.
  std::string batch_norm(const std::string& suffix, const std::string& blob,
                         const std::string& link) {
    const Array& gamma = param(link + "/gamma");
    const Shape& size = gamma.shape();
    net_.layer("bn" + suffix, "BatchNorm", {blob}, {blob},
               {array::zeros(size, Dtype::kFloat32),
                array::ones(size, Dtype::kFloat32),
                array::ones({1}, Dtype::kFloat32)})
        .mutable_batch_norm_param()
        ->set_eps(2e-5f);  // as in links
    net_.layer("scale" + suffix, "Scale", {blob}, {blob},
               {gamma, param(link + "/beta")})
        .mutable_scale_param()
        ->set_bias_term(true);
    return blob;
  }

 private:
  NetBuilder net_;
  std::map<std::string, Array> params_;
};

std::string inception(ReferenceNet& net, const std::string& module,
                      const std::string& bottom) {
  const std::string from = "inc" + module + "/";
  const std::string to = "inception_" + module + "/";
  const auto convolve = [&](const char* name, const std::string& x,
                            const char* link, const Window& window) {
    return net.relu(net.convolution(to + name, x, from + link, window));
  };
  const std::string a = convolve("1x1", bottom, "conv1", {1});
  const std::string b =
      convolve("3x3", convolve("3x3_reduce", bottom, "proj3", {1}), "conv3",
               {.size = 3, .pad = 1});
  const std::string c =
      convolve("5x5", convolve("5x5_reduce", bottom, "proj5", {1}), "conv5",
               {.size = 5, .pad = 2});
  const std::string pool = net.pooling(
      to + "pool", bottom, PoolingParameter::MAX, {.size = 3, .pad = 1});
  const std::string d = convolve("pool_proj", pool, "projp", {1});
  return net.plain(to + "output", "Concat", {a, b, c, d});
}

void auxiliary(ReferenceNet& net, const std::string& name,
               const std::string& bottom) {
  std::string h = net.pooling(name + "/ave_pool", bottom, PoolingParameter::AVE,
                              {.size = 5, .stride = 3});
  h = net.relu(net.convolution(name + "/conv", h, name + "_conv", {1}));
  h = net.relu(net.inner_product(name + "/fc", h, name + "_fc1"));
  net.inner_product(name + "/classifier", h, name + "_fc2");
}

// The deeper nets number their blocks in stages 3 and 4, where ResNet-50 has
// letters, and have no bias in conv1.
NetBuilder resnet_of(const Link& model, const std::array<int, 4>& blocks) {
  const bool is_deep = blocks[2] > 6;
  ReferenceNet net(model, 224);
  std::string h = net.convolution("conv1", "data", net.param("conv1/W"),
                                  is_deep ? Array() : net.param("conv1/b"),
                                  {.size = 7, .stride = 2, .pad = 3});
  h = net.relu(net.batch_norm("_conv1", h, "bn1"));
  h = net.pooling("pool1", h, PoolingParameter::MAX, {.size = 3, .stride = 2});
  for (int stage = 0; stage < 4; ++stage) {
    for (int i = 0; i < blocks[stage]; ++i) {
      const bool is_numbered = is_deep && (stage == 1 || stage == 2) && i > 0;
      const std::string name = str(
          stage + 2, is_numbered ? str("b", i)
                                 : std::string(1, static_cast<char>('a' + i)));
      const std::string link =
          str("res", stage + 2, "/", i == 0 ? "a" : str("b", i), "/");
      const uint32_t stride = i == 0 && stage > 0 ? 2 : 1;
      const auto branch = [&](const char* suffix, const std::string& x,
                              int number, const Window& window) {
        const std::string full = name + "_branch" + suffix;
        return net.batch_norm(
            full,
            net.convolution("res" + full, x, str(link, "conv", number), window),
            str(link, "bn", number));
      };
      std::string y =
          net.relu(branch("2a", h, 1, {.size = 1, .stride = stride}));
      y = net.relu(branch("2b", y, 2, {.size = 3, .pad = 1}));
      y = branch("2c", y, 3, {.size = 1});
      if (i == 0) h = branch("1", h, 4, {.size = 1, .stride = stride});
      h = net.relu(net.plain("res" + name, "Eltwise", {y, h}));
    }
  }
  h = net.pooling("pool5", h, PoolingParameter::AVE, {.size = 7});
  h = net.inner_product("fc1000", h, "fc6");
  net.plain("prob", "Softmax", {h});
  return net.take();
}

}  // namespace

NetBuilder googlenet_of(const links::GoogLeNet& model) {
  ReferenceNet net(model, 224);
  constexpr Window kHalve = {.size = 3, .stride = 2};
  std::string h = net.relu(net.convolution("conv1/7x7_s2", "data", "conv1",
                                           {.size = 7, .stride = 2, .pad = 3}));
  h = net.lrn("pool1/norm1",
              net.pooling("pool1/3x3_s2", h, PoolingParameter::MAX, kHalve));
  h = net.relu(
      net.convolution("conv2/3x3_reduce", h, "conv2_reduce", {.size = 1}));
  h = net.relu(net.convolution("conv2/3x3", h, "conv2", {.size = 3, .pad = 1}));
  h = net.pooling("pool2/3x3_s2", net.lrn("conv2/norm2", h),
                  PoolingParameter::MAX, kHalve);
  for (const std::string module :
       {"3a", "3b", "4a", "4b", "4c", "4d", "4e", "5a", "5b"}) {
    h = inception(net, module, h);
    if (module == "4a") auxiliary(net, "loss1", h);
    if (module == "4d") auxiliary(net, "loss2", h);
    if (module == "3b" || module == "4e") {
      h = net.pooling("pool" + module, h, PoolingParameter::MAX, kHalve);
    }
  }
  h = net.pooling("pool5/7x7_s1", h, PoolingParameter::AVE, {.size = 7});
  h = net.plain("pool5/drop", "Dropout", {h});
  h = net.inner_product("loss3/classifier", h, "loss3_fc");
  net.plain("prob", "Softmax", {h});
  return net.take();
}

NetBuilder resnet50_of(const links::ResNet50Layers& model) {
  return resnet_of(model, {3, 4, 6, 3});
}
NetBuilder resnet101_of(const links::ResNet101Layers& model) {
  return resnet_of(model, {3, 4, 23, 3});
}
NetBuilder resnet152_of(const links::ResNet152Layers& model) {
  return resnet_of(model, {3, 8, 36, 3});
}

NetBuilder alexnet() {
  ReferenceNet net(227);
  const auto weights = [](const Shape& shape, int seed) {
    return made_up(shape, seed) * 0.01f;
  };
  constexpr Window kHalve = {.size = 3, .stride = 2};
  const auto convolve = [&](const char* name, const std::string& x, int64_t out,
                            int64_t in, const Window& window) {
    return net.relu(net.convolution(
        name, x, weights({out, in / window.group, window.size, window.size}, 1),
        weights({out}, 2), window));
  };
  const auto connect = [&](const char* name, const std::string& x, int64_t out,
                           int64_t in) {
    return net.inner_product(name, x, weights({out, in}, 3), weights({out}, 4));
  };
  std::string h = convolve("conv1", "data", 96, 3, {.size = 11, .stride = 4});
  h = net.pooling("pool1", net.lrn("norm1", h), PoolingParameter::MAX, kHalve);
  h = convolve("conv2", h, 256, 96, {.size = 5, .pad = 2, .group = 2});
  h = net.pooling("pool2", net.lrn("norm2", h), PoolingParameter::MAX, kHalve);
  h = convolve("conv3", h, 384, 256, {.size = 3, .pad = 1});
  h = convolve("conv4", h, 384, 384, {.size = 3, .pad = 1, .group = 2});
  h = convolve("conv5", h, 256, 384, {.size = 3, .pad = 1, .group = 2});
  h = net.pooling("pool5", h, PoolingParameter::MAX, kHalve);
  h = net.plain("drop6", "Dropout", {net.relu(connect("fc6", h, 4096, 9216))});
  h = net.plain("drop7", "Dropout", {net.relu(connect("fc7", h, 4096, 4096))});
  h = connect("fc8", h, 1000, 4096);
  net.plain("prob", "Softmax", {h});
  return net.take();
}

NetBuilder tiny_vgg(bool deep) {
  NetBuilder net("data", {1, 1, 2, 2});
  std::string h = "data";
  for (int block = 1; block <= 5; ++block) {
    const int count = block < 3 ? 2 : deep ? 4 : 3;
    for (int i = 1; i <= count; ++i) {
      const std::string name = str("conv", block, "_", i);
      caffe::ConvolutionParameter& params =
          *net.layer(name, "Convolution", {h}, {name},
                     {made_up({1, 1, 1, 1}, i), made_up({1}, block)})
               .mutable_convolution_param();
      params.set_num_output(1);
      params.add_kernel_size(1);
      h = name;
    }
  }
  for (const std::string name : {"fc6", "fc7", "fc8"}) {
    net.layer(name, "InnerProduct", {h}, {name},
              {made_up({4, 4}), made_up({4})})
        .mutable_inner_product_param()
        ->set_num_output(4);
    h = name;
  }
  return net;
}

void expect_same_params(const Link& actual, const Link& expected) {
  const auto params = actual.namedparams();
  const auto expected_params = expected.namedparams();
  ASSERT_EQ(params.size(), expected_params.size());
  for (size_t i = 0; i < params.size(); ++i) {
    SCOPED_TRACE(expected_params[i].first);
    EXPECT_EQ(params[i].first, expected_params[i].first);
    EXPECT_THAT(params[i].second.data(),
                IsArray(expected_params[i].second.data()));
  }
}

}  // namespace catena::testing
