// Exports a model of links/model to Caffe: how to convert a catena network to a
// .prototxt and a .caffemodel.
//
//   Data:   the model's .npz file (convert_caffemodel_to_npz writes one), or
//           none for random weights.
//   Run:    ./bazelw run //examples/caffe:export -- --arch=googlenet
//               --model=bvlc_googlenet.npz --out=result
//   Expect: chainer_model.prototxt and chainer_model.caffemodel in the folder,
//           within seconds.

#include <iostream>
#include <memory>
#include <optional>
#include <string>

#include "absl/flags/flag.h"
#include "catena/array/core/error.h"
#include "catena/array/creation.h"
#include "catena/autograd/config.h"
#include "catena/caffe/export_caffe.h"
#include "catena/examples/support/flags.h"
#include "catena/links/model/googlenet.h"
#include "catena/links/model/resnet.h"
#include "catena/links/model/vgg.h"

using absl::GetFlag;
using namespace catena;
namespace L = catena::links;

ABSL_FLAG(std::string, arch, "googlenet",
          "vgg16, googlenet, resnet50, resnet101, resnet152");
ABSL_FLAG(std::string, model, "", ".npz file of the weights; random if empty");
ABSL_FLAG(std::string, out, "result", "folder for the results");

namespace {

std::unique_ptr<L::ImageModel> load() {
  const L::PretrainedModel weights =
      GetFlag(FLAGS_model).empty() ? std::nullopt
                                   : L::PretrainedModel(GetFlag(FLAGS_model));
  if (GetFlag(FLAGS_arch) == "vgg16")
    return std::make_unique<L::VGG16Layers>(weights);
  if (GetFlag(FLAGS_arch) == "googlenet")
    return std::make_unique<L::GoogLeNet>(weights);
  if (GetFlag(FLAGS_arch) == "resnet50") {
    return std::make_unique<L::ResNet50Layers>(weights);
  }
  if (GetFlag(FLAGS_arch) == "resnet101") {
    return std::make_unique<L::ResNet101Layers>(weights);
  }
  if (GetFlag(FLAGS_arch) == "resnet152") {
    return std::make_unique<L::ResNet152Layers>(weights);
  }
  raise<ValueError>("--arch: there is no '", GetFlag(FLAGS_arch), "'");
}

void export_model() {
  const std::unique_ptr<L::ImageModel> model = load();

  // The exported net is the computation of the output: run the model once, in
  // test mode.
  const auto test = using_config(&Config::train, false);
  const Variable x(array::zeros({1, 3, 224, 224}, Dtype::kFloat32));
  const Variable y = (*model)(x, {"prob"}).at("prob");
  caffe::export_caffe({y}, GetFlag(FLAGS_out),
                      {.graph_name = GetFlag(FLAGS_arch)});
  std::cout << "wrote " << GetFlag(FLAGS_out) << "/chainer_model.caffemodel\n";
}

}  // namespace

int main(int argc, char** argv) {
  return examples::run_example(
      argc, argv, "Exports a model of links/model as a net of Caffe.",
      export_model);
}
