// Says what images show, with a model that train.cc trained: greedily, and by
// beam search.
//
//   Data:   --img=photo.jpg, or --img_dir=photos for all PNG and JPEG files in
//           a folder. Without them the program draws scenes.
//   Run:    ./bazelw run //examples/image_captioning:train
//           ./bazelw run //examples/image_captioning:predict
//   Expect: six pictures scene_0.png, ... in the folder captions, or in --out,
//           and for each what the model says, with probabilities. Scenes have
//           two true sentences: beam search finds both.

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <iostream>
#include <random>
#include <string>
#include <vector>

#include "absl/flags/flag.h"
#include "absl/strings/str_format.h"
#include "catena/catena.h"
#include "catena/examples/image_captioning/caption_model.h"
#include "catena/examples/image_captioning/captions.h"
#include "catena/examples/image_captioning/scenes.h"
#include "catena/examples/support/flags.h"

using absl::GetFlag;
using namespace catena;
namespace extensions = catena::training::extensions;
namespace fs = std::filesystem;

ABSL_FLAG(std::string, img, "", "a PNG or JPEG file");
ABSL_FLAG(std::string, img_dir, "", "a folder of them");
ABSL_FLAG(examples::AtLeast<1>, scenes, {6},
          "scenes to draw, without --img and --img_dir");
ABSL_FLAG(std::string, model, "result",
          "file of a model, or folder, for the last model there");
ABSL_FLAG(std::string, pretrained_model, "",
          "weights of vgg16 or resnet50; those of training if empty");
ABSL_FLAG(examples::AtLeast<1>, max_caption_length, {30},
          "words in a sentence at most");
ABSL_FLAG(examples::AtLeast<1>, beam_size, {3}, "sentences to search for");
ABSL_FLAG(std::string, out, "captions", "folder for drawn scenes");
ABSL_FLAG(std::string, device, "native", "native, cuda:0, ...");
ABSL_FLAG(uint64_t, seed, 0, "seed of the scenes");

namespace {

// An image file, and the sentences that are known to be true of it.
struct Picture {
  std::string path;
  std::vector<std::string> sentences = {};
};

std::vector<Picture> find_pictures() {
  if (const std::string img = GetFlag(FLAGS_img); !img.empty()) return {{img}};
  std::vector<Picture> pictures;
  if (const std::string folder = GetFlag(FLAGS_img_dir); !folder.empty()) {
    for (const auto& entry : fs::directory_iterator(folder)) {
      const std::string type = entry.path().extension().string();
      if (type == ".png" || type == ".jpg" || type == ".jpeg") {
        pictures.push_back({entry.path().string()});
      }
    }
    std::ranges::sort(pictures, {}, &Picture::path);
    if (pictures.empty()) {
      raise<IoError>("'", folder, "' has no .png, .jpg or .jpeg file");
    }
    return pictures;
  }
  const fs::path out = GetFlag(FLAGS_out);
  fs::create_directories(out);
  std::mt19937_64 random(GetFlag(FLAGS_seed));
  for (int64_t i = 0; i < GetFlag(FLAGS_scenes); ++i) {
    const auto scene = make_scene(examples::ScenePart::kTest, random);
    const std::string file =
        (out / absl::StrFormat("scene_%d.png", i)).string();
    dataset::write_image(file, scene.draw(192) / 255);
    pictures.push_back({file, scene.sentences()});
  }
  return pictures;
}

void predict() {
  const Device device = Device::parse(GetFlag(FLAGS_device));
  const DeviceScope scope(device);

  // 1. The model. Next to its file is what it was built with.
  std::string file = GetFlag(FLAGS_model);
  if (!fs::exists(file)) {
    raise<IoError>("--model: there is no '", file,
                   "'; the program train "
                   "makes models");
  }
  if (fs::is_directory(file)) {
    file = extensions::latest_snapshot(file, "model_{.updater.iteration}");
  }
  auto options = examples::CaptionModelOptions::load(
      (fs::path(file).parent_path() / "model.json").string());
  if (const std::string weights = GetFlag(FLAGS_pretrained_model);
      !weights.empty()) {
    options.pretrained_model = weights;
  }
  const examples::Vocabulary vocabulary(options.words);
  examples::FeatureExtractor extractor(options);
  examples::ImageCaptionModel model(options);
  serializers::load_npz(file, model);

  // 2. The sentences.
  const int64_t max_length = GetFlag(FLAGS_max_caption_length);
  const std::vector<Picture> pictures = find_pictures();
  int64_t right = 0;
  for (const Picture& picture : pictures) {
    const Array image =
        dataset::read_image(picture.path, {.color = dataset::ImageColor::kRgb});
    const Array features =
        extractor.extract(extractor.prepare(image).expand_dims(0));
    std::cout << picture.path << "\n";
    for (const std::string& sentence : picture.sentences) {
      std::cout << "  true          " << sentence << "\n";
    }
    const auto greedy = model.predict(features, 1, max_length);
    const std::string said = vocabulary.decode(greedy[0].words);
    std::cout << "  greedy        " << said << "\n";
    right += std::ranges::count(picture.sentences, said);
    for (const examples::Caption& caption :
         model.predict(features, GetFlag(FLAGS_beam_size), max_length)) {
      std::cout << absl::StrFormat("  beam   %.3f  %s\n",
                                   std::exp(caption.log_probability),
                                   vocabulary.decode(caption.words));
    }
  }
  if (!pictures[0].sentences.empty()) {
    std::cout << right << " of " << pictures.size() << " right\n";
  }
}

}  // namespace

int main(int argc, char** argv) {
  return examples::run_example(argc, argv, "Says what images show.", predict);
}
