// Fine-tunes a Caffe network: trains a new last layer on top of its features.
//
//   Data:   a .caffemodel, and a text file with a line "path label" for each
//           image, where labels are 0, 1, ...; paths are relative to that file.
//   Run:    ./bazelw run //examples/caffe:fine_tune --
//               --model=bvlc_alexnet.caffemodel --feature=fc7 --size=227
//               --mean=104,117,123 --images=train.txt
//   Expect: a loss that falls with each epoch, and the new model in
//           result/model.npz. Only the new layer is trained, unless --all=1.

#include <algorithm>
#include <iostream>
#include <string>
#include <utility>
#include <vector>

#include "absl/flags/flag.h"
#include "catena/array/concatenate.h"
#include "catena/array/core/error.h"
#include "catena/array/creation.h"
#include "catena/array/random/random.h"
#include "catena/caffe/caffe_function.h"
#include "catena/dataset/datasets/tuple_dataset.h"
#include "catena/dataset/iterators/serial_iterator.h"
#include "catena/examples/caffe/image_input.h"
#include "catena/examples/support/flags.h"
#include "catena/links/chain.h"
#include "catena/links/connection/linear.h"
#include "catena/links/model/classifier.h"
#include "catena/optimizers/momentum_sgd.h"
#include "catena/serializers/npz.h"
#include "catena/training/training.h"

using absl::GetFlag;
using namespace catena;
namespace L = catena::links;
namespace extensions = catena::training::extensions;

ABSL_FLAG(std::string, model, "", "the .caffemodel file");
ABSL_FLAG(std::string, images, "", "text file with a line \"path label\" each");
ABSL_FLAG(std::string, feature, "fc7", "the blob below the new layer");
ABSL_FLAG(std::string, mean, "",
          ".binaryproto or .npy file, or \"104,117,123\"");
ABSL_FLAG(std::string, scale, "1", "factor of the image without the mean");
ABSL_FLAG(examples::AtLeast<0>, size, {0},
          "height and width of the input; 0: what the file says");
ABSL_FLAG(
    examples::AtLeast<0>, resize, {256},
    "size of images before the center is cut out; 0: straight to the input");
ABSL_FLAG(examples::AtLeast<1>, batchsize, {32}, "images in a minibatch");
ABSL_FLAG(examples::AtLeast<1>, epoch, {10}, "sweeps over the images");
ABSL_FLAG(examples::AtLeast<0>, all, {0},
          "1: all layers learn, 0: only the new one");
ABSL_FLAG(std::string, device, "native", "native, cuda:0, ...");
ABSL_FLAG(std::string, out, "result", "folder for the results");
ABSL_FLAG(uint64_t, seed, 0, "seed of all random numbers");

namespace {

// The model: the imported net up to a blob, and a new layer. Its parameters are
// "net/conv1/W" and so on, and "fc/W", "fc/b".
class FineTuned : public Chain<FineTuned> {
 public:
  FineTuned(const std::string& file, std::string feature, int64_t n_classes)
      : net(this, "net", file),
        fc(this, "fc", n_classes),
        feature_(std::move(feature)) {}

  Variable forward(const Variable& x) {
    const std::string& input = net->plan().inputs.at(0).name;
    return fc((*net)({{input, x}}, {feature_})[0]);
  }

  Child<caffe::CaffeFunction> net;
  Child<L::Linear> fc;

 private:
  std::string feature_;
};

struct LabeledImages {
  Array images;  // (N, C, h, w)
  Array labels;  // (N,), int32
  int64_t n_classes = 0;
};

LabeledImages load(const std::string& list, const examples::ImageInput& input) {
  const DeviceScope host(native_device());
  std::vector<Array> images;
  std::vector<int32_t> labels;
  for (const auto& [path, label] : examples::read_labeled_files(list)) {
    images.push_back(examples::load_image(path, input));
    labels.push_back(label);
  }
  return {array::concatenate(images), array::array(labels),
          *std::max_element(labels.begin(), labels.end()) + 1};
}

void fine_tune() {
  if (GetFlag(FLAGS_model).empty() || GetFlag(FLAGS_images).empty()) {
    raise<ValueError>("--model and --images are required");
  }
  const Device device = Device::parse(GetFlag(FLAGS_device));
  const DeviceScope scope(device);
  array::random::seed(GetFlag(FLAGS_seed));

  // 1. The data, in the input shape given in the file.
  const examples::ImageInput input = examples::input_of(
      caffe::import_plan(GetFlag(FLAGS_model)),
      {.height = GetFlag(FLAGS_size),
       .width = GetFlag(FLAGS_size),
       .resize = GetFlag(FLAGS_resize),
       .mean = examples::parse_mean(GetFlag(FLAGS_mean)),
       .scale = examples::parse_number(GetFlag(FLAGS_scale), "scale")});
  const LabeledImages data = load(GetFlag(FLAGS_images), input);

  // 2. The model: Classifier adds softmax cross entropy and accuracy.
  L::Classifier model(
      FineTuned(GetFlag(FLAGS_model), GetFlag(FLAGS_feature), data.n_classes));
  optimizers::MomentumSGD optimizer({.lr = 0.01});
  optimizer.setup(model);
  if (GetFlag(FLAGS_all) == 0) model.predictor->net->disable_update();

  // 3. The loop.
  const datasets::TupleDataset train(data.images, data.labels);
  iterators::SerialIterator iterator(train, GetFlag(FLAGS_batchsize));
  training::StandardUpdater updater(iterator, optimizer, {.device = device});
  training::Trainer trainer(updater, {GetFlag(FLAGS_epoch).value, "epoch"},
                            {.out = GetFlag(FLAGS_out)});
  trainer.extend(extensions::LogReport());
  trainer.extend(
      extensions::PrintReport({"epoch", "main/loss", "main/accuracy"}));
  trainer.run();
  serializers::save_npz(GetFlag(FLAGS_out) + "/model.npz", *model.predictor);
}

}  // namespace

int main(int argc, char** argv) {
  return examples::run_example(
      argc, argv, "Fine-tunes the last layer of a net of Caffe.", fine_tune);
}
