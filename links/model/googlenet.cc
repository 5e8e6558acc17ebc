#include "catena/links/model/googlenet.h"

#include <numbers>

#include "catena/array/core/error.h"
#include "catena/functions/activation/relu.h"
#include "catena/functions/activation/softmax.h"
#include "catena/functions/noise/dropout.h"
#include "catena/functions/normalization/local_response_normalization.h"
#include "catena/functions/pooling/average_pooling.h"
#include "catena/functions/pooling/max_pooling.h"
#include "catena/links/connection/convolution_nd.h"
#include "catena/links/connection/inception.h"
#include "catena/links/connection/linear.h"

namespace catena::links {
namespace {

namespace F = functions;

struct InceptionRow {
  std::string_view suffix;
  int64_t in, out1, proj3, out3, proj5, out5, proj_pool;
  bool is_pooled_after;
};
constexpr InceptionRow kInceptions[] = {
    {"3a", 192, 64, 96, 128, 16, 32, 32, false},
    {"3b", 256, 128, 128, 192, 32, 96, 64, true},
    {"4a", 480, 192, 96, 208, 16, 48, 64, false},
    {"4b", 512, 160, 112, 224, 24, 64, 64, false},
    {"4c", 512, 128, 128, 256, 24, 64, 64, false},
    {"4d", 512, 112, 144, 288, 32, 64, 64, false},
    {"4e", 528, 256, 160, 320, 32, 128, 128, true},
    {"5a", 832, 256, 160, 320, 32, 128, 128, false},
    {"5b", 832, 384, 192, 384, 48, 128, 128, false},
};

// An auxiliary classifier, on the output of an inception module.
struct AuxiliaryRow {
  std::string_view name;
  std::string_view input;
  int64_t in;
};
constexpr AuxiliaryRow kAuxiliaries[] = {{"loss1", "inception_4a", 512},
                                         {"loss2", "inception_4d", 528}};

Variable pool(const Variable& x) {
  return F::max_pooling_2d(x, 3, {.stride = 2});
}

// Caffe divides alpha by n.
Variable normalize(const Variable& x) {
  return F::local_response_normalization(x,
                                         {.n = 5, .k = 1, .alpha = 1e-4 / 5});
}

}  // namespace

GoogLeNet::GoogLeNet(const PretrainedModel& pretrained_model) {
  // Uniform up to sqrt(3 / fan_in), as in Caffe.
  const Initializer initialW = initializer_unless(
      pretrained_model, initializers::HeUniform(std::numbers::sqrt2 / 2));
  const auto convolution = [&](std::string name, int64_t in, int64_t out,
                               int64_t ksize, int64_t stride) {
    add_link(std::move(name),
             Convolution2D(
                 in, out, ksize,
                 {.stride = stride, .pad = ksize / 2, .initialW = initialW}));
  };
  const auto linear = [&](std::string name, int64_t in, int64_t out) {
    add_link(std::move(name), Linear(in, out, {.initialW = initialW}));
  };
  convolution("conv1", 3, 64, 7, 2);
  convolution("conv2_reduce", 64, 64, 1, 1);
  convolution("conv2", 64, 192, 3, 1);
  for (const InceptionRow& row : kInceptions) {
    add_link(str("inc", row.suffix),
             Inception(row.in, row.out1, row.proj3, row.out3, row.proj5,
                       row.out5, row.proj_pool));
  }
  linear("loss3_fc", 1024, 1000);
  for (const AuxiliaryRow& row : kAuxiliaries) {
    convolution(str(row.name, "_conv"), row.in, 128, 1, 1);
    linear(str(row.name, "_fc1"), 2048, 1024);
    linear(str(row.name, "_fc2"), 1024, 1000);
  }
  load(pretrained_model,
       {"bvlc_googlenet",
        "https://github.com/BVLC/caffe/tree/master/models/bvlc_googlenet"});
}

Array GoogLeNet::prepare(const Array& image,
                         const std::optional<ImageSize>& size) const {
  return googlenet_prepare(image, size);
}

std::vector<ImageModel::Layer> GoogLeNet::layers() {
  const auto convolution = [this](std::string_view name) {
    auto& link = static_cast<Convolution2D&>((*this)[name]);
    return [&link](const Variable& x) { return F::relu(link(x)); };
  };
  const auto linear = [this](std::string_view name) {
    auto& link = static_cast<Linear&>((*this)[name]);
    return [&link](const Variable& x) { return link(x); };
  };
  std::vector<Layer> result = {
      {"conv1", convolution("conv1")},
      {"pool1", [](const Variable& x) { return normalize(pool(x)); }},
      {"conv2_reduce", convolution("conv2_reduce")},
      {"conv2", [conv2 = convolution("conv2")](
                    const Variable& x) { return normalize(conv2(x)); }},
      {"pool2", pool}};
  int pools = 2;
  for (const InceptionRow& row : kInceptions) {
    auto& link = static_cast<Inception&>((*this)[str("inc", row.suffix)]);
    result.push_back({str("inception_", row.suffix),
                      [&link](const Variable& x) { return link(x); }});
    if (row.is_pooled_after) result.push_back({str("pool", ++pools), pool});
  }
  result.push_back({"pool5", [](const Variable& x) {
                      return F::average_pooling_2d(x, 7, {.stride = 1});
                    }});
  result.push_back({"loss3_fc", [fc = linear("loss3_fc")](const Variable& x) {
                      return fc(F::dropout(x, {.ratio = 0.4}));
                    }});
  result.push_back({"prob", [](const Variable& x) { return F::softmax(x); }});
  // After the main output, so that they are computed only on request.
  for (const AuxiliaryRow& row : kAuxiliaries) {
    result.push_back({str(row.name, "_fc2"),
                      [conv = convolution(str(row.name, "_conv")),
                       fc1 = linear(str(row.name, "_fc1")),
                       fc2 = linear(str(row.name, "_fc2"))](const Variable& x) {
                        const Variable pooled =
                            F::average_pooling_2d(x, 5, {.stride = 3});
                        return fc2(F::relu(fc1(conv(pooled))));
                      },
                      std::string(row.input)});
  }
  return result;
}

Array googlenet_prepare(const Array& image,
                        const std::optional<ImageSize>& size) {
  return prepare_image(image, size, {104.0f, 117.0f, 123.0f});
}

}  // namespace catena::links
