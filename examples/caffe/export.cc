// Exports a model of links/model as a net of Caffe: how a network of catena
// becomes a .prototxt and a .caffemodel.
//
//   Data:   the model's .npz file (convert_caffemodel_to_npz makes one), or
//           none: then the weights are random.
//   Run:    ./bazelw run //examples/caffe:export -- --arch=googlenet
//               --model=bvlc_googlenet.npz --out=result
//   Expect: chainer_model.prototxt and chainer_model.caffemodel in the folder,
//           within seconds.

#include <iostream>
#include <memory>
#include <optional>
#include <string>

#include "catena/array/creation.h"
#include "catena/array/error.h"
#include "catena/autograd/config.h"
#include "catena/caffe/export_caffe.h"
#include "catena/examples/support/flags.h"
#include "catena/functions/call_recording.h"
#include "catena/links/model/googlenet.h"
#include "catena/links/model/resnet.h"
#include "catena/links/model/vgg.h"

using namespace catena;
namespace L = catena::links;

namespace {

struct Settings {
  std::string arch = "googlenet";
  std::string model;
  std::string out = "result";
};

Settings parse(int argc, char** argv) {
  Settings s;
  examples::Flags flags("Exports a model of links/model as a net of Caffe.");
  flags.add("arch", &s.arch,
            "vgg16, googlenet, resnet50, resnet101, resnet152");
  flags.add("model", &s.model, ".npz file of the weights; random if empty");
  flags.add("out", &s.out, "folder for the results");
  flags.parse(argc, argv);
  return s;
}

std::unique_ptr<L::ImageModel> load(const Settings& s) {
  const L::PretrainedModel weights =
      s.model.empty() ? std::nullopt : L::PretrainedModel(s.model);
  if (s.arch == "vgg16") return std::make_unique<L::VGG16Layers>(weights);
  if (s.arch == "googlenet") return std::make_unique<L::GoogLeNet>(weights);
  if (s.arch == "resnet50") {
    return std::make_unique<L::ResNet50Layers>(weights);
  }
  if (s.arch == "resnet101") {
    return std::make_unique<L::ResNet101Layers>(weights);
  }
  if (s.arch == "resnet152") {
    return std::make_unique<L::ResNet152Layers>(weights);
  }
  raise<ValueError>("--arch: there is no '", s.arch, "'");
}

void export_model(const Settings& s) {
  const std::unique_ptr<L::ImageModel> model = load(s);

  // The net is what makes the output: it is run once, in test mode, while the
  // options of all functions are recorded.
  const functions::CallRecording recording;
  const auto test = using_config(&Config::train, false);
  const Variable x(array::zeros({1, 3, 224, 224}, Dtype::kFloat32));
  const Variable y = (*model)(x, {"prob"}).at("prob");
  caffe::export_caffe({y}, s.out, {.graph_name = s.arch});
  std::cout << "wrote " << s.out << "/chainer_model.caffemodel\n";
}

}  // namespace

int main(int argc, char** argv) {
  return examples::run_example([&] { export_model(parse(argc, argv)); });
}
