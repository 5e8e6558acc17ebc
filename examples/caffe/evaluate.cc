// Evaluates a Caffe network on labeled images: in how many the right class is
// the most probable one, or among the five most probable ones.
//
//   Data:   a .caffemodel with its mean file, such as those of Caffe's model
//           zoo, and a text file with a line "path label" for each image, where
//           labels are 0, 1, ...: for ImageNet val.txt of Caffe's
//           get_ilsvrc_aux.sh, with the 50,000 images of ILSVRC2012's
//           validation set in the folder --root.
//   Run:    ./bazelw run //examples/caffe:evaluate --
//               --model=bvlc_alexnet.caffemodel --size=227
//               --mean=imagenet_mean.binaryproto --images=val.txt
//               --root=ILSVRC2012_img_val
//   Expect: the two accuracies so far after every thousand images, and at the
//           end those of all images: about 0.57 and 0.80 for AlexNet.

#include <algorithm>
#include <array>
#include <iomanip>
#include <iostream>
#include <string>
#include <vector>

#include "absl/flags/flag.h"
#include "catena/array/concatenate.h"
#include "catena/array/core/error.h"
#include "catena/autograd/config.h"
#include "catena/caffe/caffe_function.h"
#include "catena/examples/caffe/image_input.h"
#include "catena/examples/support/flags.h"

using absl::GetFlag;
using namespace catena;

ABSL_FLAG(std::string, model, "", "the .caffemodel file");
ABSL_FLAG(std::string, images, "", "text file with a line \"path label\" each");
ABSL_FLAG(std::string, root, "",
          "folder of the images; that of the text file if empty");
ABSL_FLAG(std::string, mean, "",
          ".binaryproto or .npy file, or \"104,117,123\"");
ABSL_FLAG(std::string, blob, "",
          "the probabilities; the last layer's top if empty");
ABSL_FLAG(std::string, scale, "1", "factor of the image without the mean");
ABSL_FLAG(examples::AtLeast<0>, size, {0},
          "height and width of the input; 0: what the file says");
ABSL_FLAG(
    examples::AtLeast<0>, resize, {256},
    "size of images before the center is cut out; 0: straight to the input");
ABSL_FLAG(examples::AtLeast<1>, batchsize, {100}, "images in a minibatch");
ABSL_FLAG(examples::AtLeast<1>, report, {1000},
          "images between two lines of output");
ABSL_FLAG(std::string, device, "native", "native, cuda:0, ...");

namespace {

// In how many images the label was among the first one and five.
struct Hits {
  static constexpr std::array<int64_t, 2> kFirst = {1, 5};

  // scores are (N, classes).
  void add(const Array& scores,
           const std::vector<examples::LabeledFile>& files) {
    const int64_t classes = scores.shape()[1];
    const std::vector<float> values = scores.to_vector<float>();
    for (size_t i = 0; i < files.size(); ++i) {
      const auto& [path, label] = files[i];
      if (label >= classes) {
        raise<ValueError>("expected a label below the number of classes, ",
                          classes, ", got ", label, " of ", path);
      }
      const float* row = values.data() + static_cast<int64_t>(i) * classes;
      int64_t before = 0;  // NaN ranks last
      for (int64_t c = 0; c < classes; ++c) {
        before += row[c] > row[label] || (row[c] == row[label] && c < label);
      }
      if (row[label] != row[label]) before = classes;
      ++images;
      for (size_t k = 0; k < kFirst.size(); ++k) {
        hits[k] += before < kFirst[k] ? 1 : 0;
      }
    }
  }

  void print() const {
    std::cout << "images " << images << std::fixed << std::setprecision(4);
    for (size_t k = 0; k < kFirst.size(); ++k) {
      std::cout << "  top-" << kFirst[k] << " "
                << static_cast<double>(hits[k]) / static_cast<double>(images);
    }
    std::cout << std::endl;
  }

  int64_t images = 0;
  std::array<int64_t, 2> hits = {};
};

void evaluate() {
  if (GetFlag(FLAGS_model).empty() || GetFlag(FLAGS_images).empty()) {
    raise<ValueError>("--model and --images are required");
  }
  const DeviceScope scope(Device::parse(GetFlag(FLAGS_device)));

  // 1. The net and the list of images.
  caffe::CaffeFunction model(GetFlag(FLAGS_model));
  const caffe::ImportPlan& plan = model.plan();
  const examples::ImageInput input = examples::input_of(
      plan, {.height = GetFlag(FLAGS_size),
             .width = GetFlag(FLAGS_size),
             .resize = GetFlag(FLAGS_resize),
             .mean = examples::parse_mean(GetFlag(FLAGS_mean)),
             .scale = examples::parse_number(GetFlag(FLAGS_scale), "scale")});
  const std::string blob = GetFlag(FLAGS_blob).empty()
                               ? plan.layers.back().tops.at(0)
                               : GetFlag(FLAGS_blob);
  const std::vector<examples::LabeledFile> files =
      examples::read_labeled_files(GetFlag(FLAGS_images), GetFlag(FLAGS_root));

  // 2. Forward passes, in phase TEST and without a graph.
  const auto no_graph = no_backprop_mode();
  Hits hits;
  int64_t next_report = GetFlag(FLAGS_report);
  const auto count = static_cast<int64_t>(files.size());
  for (int64_t i = 0; i < count; i += GetFlag(FLAGS_batchsize)) {
    const int64_t end = std::min<int64_t>(i + GetFlag(FLAGS_batchsize), count);
    const std::vector<examples::LabeledFile> batch(files.begin() + i,
                                                   files.begin() + end);
    std::vector<Array> images;
    for (const examples::LabeledFile& file : batch) {
      images.push_back(examples::load_image(file.path, input));
    }
    const Variable x(array::concatenate(images).to_device(current_device()));
    const Variable y =
        model({{plan.inputs.front().name, x}}, {blob}, {.train = false})[0];
    hits.add(y.data().reshape({end - i, -1}), batch);
    if (hits.images >= next_report && end < count) {
      hits.print();
      next_report = hits.images + GetFlag(FLAGS_report);
    }
  }

  // 3. The result.
  hits.print();
}

}  // namespace

int main(int argc, char** argv) {
  return examples::run_example(
      argc, argv, "Evaluates a net of Caffe on labeled images.", evaluate);
}
