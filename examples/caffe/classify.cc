// Classifies an image with a Caffe network: how to import and run a
// .caffemodel.
//
//   Data:   a .caffemodel, such as bvlc_alexnet.caffemodel, with its mean file
//           and a file with one line per class (synset_words.txt), all from
//           Caffe's model zoo; any PNG or JPEG.
//   Run:    ./bazelw run //examples/caffe:classify --
//               --model=bvlc_alexnet.caffemodel --image=cat.jpg --size=227
//               --mean=imagenet_mean.binaryproto --labels=synset_words.txt
//   Expect: the five most probable classes, one per line: probability, number
//           and label. Loading takes little longer than reading the file.

#include <algorithm>
#include <fstream>
#include <iomanip>
#include <iostream>
#include <string>
#include <vector>

#include "absl/flags/flag.h"
#include "catena/array/core/error.h"
#include "catena/autograd/config.h"
#include "catena/caffe/caffe_function.h"
#include "catena/examples/caffe/image_input.h"
#include "catena/examples/support/flags.h"

using absl::GetFlag;
using namespace catena;

ABSL_FLAG(std::string, model, "", "the .caffemodel file");
ABSL_FLAG(std::string, image, "", "a PNG or JPEG file");
ABSL_FLAG(std::string, mean, "",
          ".binaryproto or .npy file, or \"104,117,123\"");
ABSL_FLAG(std::string, labels, "", "file with a line for each class");
ABSL_FLAG(std::string, blob, "",
          "the probabilities; the last layer's top if empty");
ABSL_FLAG(std::string, scale, "1", "factor of the image without the mean");
ABSL_FLAG(examples::AtLeast<0>, size, {0},
          "height and width of the input; 0: what the file says");
ABSL_FLAG(
    examples::AtLeast<0>, resize, {256},
    "size of images before the center is cut out; 0: straight to the input");
ABSL_FLAG(std::string, device, "native", "native, cuda:0, ...");

namespace {

std::vector<std::string> read_lines(const std::string& path) {
  std::vector<std::string> lines;
  if (path.empty()) return lines;
  std::ifstream in(path);
  if (!in) raise<IoError>("cannot read '", path, "'");
  for (std::string line; std::getline(in, line);) lines.push_back(line);
  return lines;
}

void classify() {
  if (GetFlag(FLAGS_model).empty() || GetFlag(FLAGS_image).empty()) {
    raise<ValueError>("--model and --image are required");
  }
  const DeviceScope scope(Device::parse(GetFlag(FLAGS_device)));

  // 1. The net, and the input size given in the file.
  caffe::CaffeFunction model(GetFlag(FLAGS_model));
  const caffe::ImportPlan& plan = model.plan();
  const examples::ImageInput wanted = examples::input_of(
      plan, {.height = GetFlag(FLAGS_size),
             .width = GetFlag(FLAGS_size),
             .resize = GetFlag(FLAGS_resize),
             .mean = examples::parse_mean(GetFlag(FLAGS_mean)),
             .scale = examples::parse_number(GetFlag(FLAGS_scale), "scale")});

  // 2. The image in the net's input format.
  const Variable x(examples::load_image(GetFlag(FLAGS_image), wanted)
                       .to_device(current_device()));

  // 3. One forward pass, in phase TEST and without a graph.
  const auto no_graph = no_backprop_mode();
  const std::string blob = GetFlag(FLAGS_blob).empty()
                               ? plan.layers.back().tops.at(0)
                               : GetFlag(FLAGS_blob);
  const Variable y =
      model({{plan.inputs.front().name, x}}, {blob}, {.train = false})[0];

  // 4. The five largest outputs.
  const std::vector<std::string> labels = read_lines(GetFlag(FLAGS_labels));
  const std::vector<float> scores = y.data().to_vector<float>();
  std::vector<size_t> order(scores.size());
  for (size_t i = 0; i < order.size(); ++i) order[i] = i;
  std::stable_sort(order.begin(), order.end(),
                   [&](size_t a, size_t b) { return scores[a] > scores[b]; });
  order.resize(std::min<size_t>(order.size(), 5));
  for (const size_t i : order) {
    std::cout << std::fixed << std::setprecision(4) << scores[i] << "  " << i
              << (i < labels.size() ? "  " + labels[i] : "") << "\n";
  }
}

}  // namespace

int main(int argc, char** argv) {
  return examples::run_example(
      argc, argv, "Classifies an image with a net of Caffe.", classify);
}
