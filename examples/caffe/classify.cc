// Classifies an image with a net of Caffe: how to import a .caffemodel and run
// it.
//
//   Data:   a .caffemodel, such as bvlc_alexnet.caffemodel, with its mean file
//           and a file with a line for each class (synset_words.txt), all from
//           Caffe's model zoo; any PNG or JPEG.
//   Run:    ./bazelw run //examples/caffe:classify --
//               --model=bvlc_alexnet.caffemodel --image=cat.jpg --size=227
//               --mean=imagenet_mean.binaryproto --labels=synset_words.txt
//   Expect: the five most probable classes, a line for each: probability,
//   number
//           and label. Loading takes little more than reading the file.

#include <algorithm>
#include <fstream>
#include <iomanip>
#include <iostream>
#include <string>
#include <vector>

#include "catena/array/error.h"
#include "catena/autograd/config.h"
#include "catena/caffe/caffe_function.h"
#include "catena/examples/caffe/image_input.h"
#include "catena/examples/support/flags.h"

using namespace catena;

namespace {

struct Settings {
  std::string model;
  std::string image;
  std::string mean;
  std::string scale = "1";
  std::string labels;
  std::string blob;
  std::string device = "native";
  int64_t size = 0;
  int64_t resize = 256;
};

Settings parse(int argc, char** argv) {
  Settings s;
  examples::Flags flags("Classifies an image with a net of Caffe.");
  flags.add("model", &s.model, "the .caffemodel file");
  flags.add("image", &s.image, "a PNG or JPEG file");
  flags.add("mean", &s.mean, ".binaryproto or .npy file, or \"104,117,123\"");
  flags.add("labels", &s.labels, "file with a line for each class");
  flags.add("blob", &s.blob,
            "the probabilities; the last layer's top if empty");
  flags.add("scale", &s.scale, "of what remains without the mean");
  flags.add("size", &s.size, 0, "of the input; what the file says if 0");
  flags.add("resize", &s.resize, 0,
            "of images before the center is cut out; 0: straight to the input");
  flags.add("device", &s.device, "native, cuda:0, ...");
  flags.parse(argc, argv);
  if (s.model.empty() || s.image.empty()) {
    raise<ValueError>("--model and --image are needed");
  }
  return s;
}

std::vector<std::string> read_lines(const std::string& path) {
  std::vector<std::string> lines;
  if (path.empty()) return lines;
  std::ifstream in(path);
  if (!in) raise<IoError>("cannot read '", path, "'");
  for (std::string line; std::getline(in, line);) lines.push_back(line);
  return lines;
}

void classify(const Settings& s) {
  const DeviceScope scope(Device::parse(s.device));

  // 1. The net, and what the file says of its input.
  caffe::CaffeFunction model(s.model);
  const caffe::ImportPlan& plan = model.plan();
  if (plan.inputs.empty()) raise<ValueError>(s.model, " has no input");
  const caffe::InputDefinition& input = plan.inputs.front();
  examples::ImageInput wanted = {
      .height = s.size,
      .width = s.size,
      .resize = s.resize,
      .mean = examples::parse_mean(s.mean),
      .scale = examples::parse_number(s.scale, "scale")};
  if (input.shape && input.shape->ndim() == 4) {
    wanted.channels = (*input.shape)[1];
    if (s.size == 0) wanted.height = (*input.shape)[2];
    if (s.size == 0) wanted.width = (*input.shape)[3];
  }
  if (wanted.height < 1) raise<ValueError>("--size: the file does not say it");

  // 2. The image as the net takes it.
  const Variable x(
      examples::load_image(s.image, wanted).to_device(current_device()));

  // 3. One run, in phase TEST and without a graph.
  const auto no_graph = no_backprop_mode();
  const std::string blob =
      s.blob.empty() ? plan.layers.back().tops.at(0) : s.blob;
  const Variable y = model({{input.name, x}}, {blob}, {.train = false})[0];

  // 4. The largest five.
  const std::vector<std::string> labels = read_lines(s.labels);
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
  return examples::run_example([&] { classify(parse(argc, argv)); });
}
