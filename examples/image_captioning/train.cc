// Trains a model to say in a sentence what an image shows: a convolutional
// network sees, an LSTM speaks (Donahue et al., 2015; Vinyals et al., 2015).
//
//   Data:   scenes that the program draws, such as "a small red circle above a
//           large blue square". With --mscoco_root, photographs with captions:
//           MSCOCO 2014, from https://cocodataset.org/#download; for these
//           --device=cuda:0 is advisable.
//   Run:    ./bazelw run //examples/image_captioning:train
//   Expect: exact_match above 0.9 after 8000 iterations, one or two minutes:
//   the
//           share of scenes whose sentence is right word for word, where the
//           objects were never seen together before. The folder result, or
//           --out, has the models, which predict.cc uses.
//   Resume: --resume=latest continues after the last snapshot.

#include <algorithm>
#include <filesystem>
#include <optional>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "absl/flags/flag.h"
#include "catena/catena.h"
#include "catena/examples/image_captioning/caption_model.h"
#include "catena/examples/image_captioning/captions.h"
#include "catena/examples/image_captioning/scenes.h"
#include "catena/examples/support/flags.h"
#include "catena/examples/support/resume.h"

using absl::GetFlag;
using namespace catena;
using examples::Vocabulary;
namespace extensions = catena::training::extensions;

using Count = std::optional<examples::AtLeast<1>>;

ABSL_FLAG(std::string, out, "result", "folder for the results");
ABSL_FLAG(std::string, mscoco_root, "",
          "folder with MSCOCO's annotations, train2014 and val2014, in place "
          "of drawn scenes");
ABSL_FLAG(Count, max_iters, std::nullopt,
          "iterations (8000 for scenes, 50000 for mscoco)");
ABSL_FLAG(Count, batch_size, std::nullopt,
          "captions in a minibatch (32 for scenes, 128 for mscoco)");
ABSL_FLAG(std::optional<double>, dropout_ratio, std::nullopt,
          "dropout before and after the LSTM (0 for scenes, 0.5 for mscoco)");
ABSL_FLAG(examples::AtLeast<1>, val_keep_quantity, {100},
          "validates with every N-th image of val2014");
ABSL_FLAG(Count, val_iter, std::nullopt,
          "validates every N iterations (1000 for scenes, 100 for mscoco)");
ABSL_FLAG(Count, log_iter, std::nullopt,
          "logs every N iterations (1000 for scenes, 1 for mscoco)");
ABSL_FLAG(examples::AtLeast<1>, snapshot_iter, {1000},
          "saves model and snapshot every N iterations");
ABSL_FLAG(std::string, rnn, "nsteplstm", "nsteplstm or lstm");
ABSL_FLAG(Count, unit, std::nullopt,
          "units of the LSTM (128 for scenes, 512 for mscoco)");
ABSL_FLAG(std::string, feature, "",
          "what sees: cnn, a small network that learns, too; vgg16 or "
          "resnet50, which know ImageNet (cnn for scenes, vgg16 for mscoco)");
ABSL_FLAG(std::string, pretrained_model, "auto",
          "weights of vgg16 or resnet50, a .caffemodel or .npz file; auto "
          "looks in ~/.catena/dataset/pfnet/chainer/models");
ABSL_FLAG(examples::AtLeast<1>, max_caption_length, {30},
          "words in a sentence that the model says, at most");
ABSL_FLAG(std::string, device, "native", "native, cuda:0, ...");
ABSL_FLAG(
    std::string, resume, "",
    "continues from this snapshot file, or from the \"latest\" one in --out");
ABSL_FLAG(uint64_t, seed, 0, "seed of all random numbers");

namespace {

struct Settings {
  examples::AtLeast<1> max_iters;
  examples::AtLeast<1> batch_size;
  examples::AtLeast<1> val_iter;
  examples::AtLeast<1> log_iter;
  examples::AtLeast<1> unit;
  double dropout_ratio;
  std::string feature;
};
const Settings kScenes = {{8000}, {32}, {1000}, {1000}, {128}, 0, "cnn"};
const Settings kMscoco = {{50000}, {128}, {100}, {1}, {512}, 0.5, "vgg16"};

// Pairs of a scene and one of its sentences; drawn when they are asked for.
class SceneDataset : public dataset::DatasetMixin {
 public:
  SceneDataset(examples::ScenePart part, int64_t size,
               const Vocabulary& vocabulary,
               const examples::FeatureExtractor& extractor)
      : part_(part),
        size_(size),
        vocabulary_(vocabulary),
        extractor_(extractor) {}

  int64_t size() const override { return size_; }
  dataset::Example get_example(int64_t i) const override {
    const examples::Scene scene = this->scene(i);
    const auto sentences = scene.sentences();
    const size_t any = static_cast<size_t>(i) % sentences.size();
    return {extractor_.prepare(scene.draw(48)),
            vocabulary_.encode(sentences[any])};
  }
  examples::Scene scene(int64_t i) const {
    std::mt19937_64 random(static_cast<uint64_t>(i));
    return make_scene(part_, random);
  }

 private:
  examples::ScenePart part_;
  int64_t size_;
  const Vocabulary& vocabulary_;
  const examples::FeatureExtractor& extractor_;
};

// Pairs of a photograph and one of its captions.
class PhotographDataset : public dataset::DatasetMixin {
 public:
  PhotographDataset(const std::vector<examples::CaptionedImage>& images,
                    const Vocabulary& vocabulary,
                    const examples::FeatureExtractor& extractor)
      : extractor_(extractor) {
    for (const examples::CaptionedImage& image : images) {
      for (const std::string& caption : image.captions) {
        pairs_.emplace_back(image.path, vocabulary.encode(caption));
      }
    }
  }

  int64_t size() const override { return std::ssize(pairs_); }
  dataset::Example get_example(int64_t i) const override {
    const auto& [path, caption] = pairs_[static_cast<size_t>(i)];
    return {extractor_.prepare(dataset::read_image(
                path, {.color = dataset::ImageColor::kRgb})),
            caption};
  }

 private:
  std::vector<std::pair<std::string, examples::WordIds>> pairs_;
  const examples::FeatureExtractor& extractor_;
};

// The share of scenes for which the model's sentence is true, word for word.
double exact_match(examples::ImageCaptionModel& model,
                   const SceneDataset& scenes, const Vocabulary& vocabulary) {
  double right = 0;
  for (int64_t i = 0; i < scenes.size(); ++i) {
    const Array image = scenes[i][0].to_device(model.device());
    const auto captions = model.predict(image.expand_dims(0), /*beam_size=*/1,
                                        GetFlag(FLAGS_max_caption_length));
    const auto sentences = scenes.scene(i).sentences();
    right +=
        std::ranges::count(sentences, vocabulary.decode(captions[0].words));
  }
  return right / static_cast<double>(scenes.size());
}

void train() {
  const Device device = Device::parse(GetFlag(FLAGS_device));
  const DeviceScope scope(device);
  array::random::seed(GetFlag(FLAGS_seed));
  const std::string out = GetFlag(FLAGS_out);
  const std::string root = GetFlag(FLAGS_mscoco_root);
  const bool is_drawn = root.empty();
  const Settings& defaults = is_drawn ? kScenes : kMscoco;

  // 1. The words: all that describe scenes, or those that occur five times.
  std::vector<examples::CaptionedImage> photographs, test_photographs;
  std::vector<std::string> sentences;
  if (is_drawn) {
    std::mt19937_64 random;
    for (int i = 0; i < 1000; ++i) {
      sentences.push_back(
          make_scene(examples::ScenePart::kTrain, random).sentences()[0]);
    }
  } else {
    photographs = examples::read_mscoco(root, "train");
    const auto all = examples::read_mscoco(root, "val");
    for (int64_t i = 0; i < std::ssize(all);
         i += GetFlag(FLAGS_val_keep_quantity)) {
      test_photographs.push_back(all[static_cast<size_t>(i)]);
    }
    for (const examples::CaptionedImage& image : photographs) {
      sentences.insert(sentences.end(), image.captions.begin(),
                       image.captions.end());
    }
  }
  const Vocabulary vocabulary(sentences, /*least_count=*/is_drawn ? 1 : 5);

  // 2. The model. What predict.cc has to know about it goes to model.json.
  const std::string feature = GetFlag(FLAGS_feature);
  const examples::CaptionModelOptions options = {
      .feature = feature.empty() ? defaults.feature : feature,
      .pretrained_model = GetFlag(FLAGS_pretrained_model),
      .rnn = GetFlag(FLAGS_rnn),
      .unit = GetFlag(FLAGS_unit).value_or(defaults.unit),
      .dropout_ratio =
          GetFlag(FLAGS_dropout_ratio).value_or(defaults.dropout_ratio),
      .words = vocabulary.words()};
  examples::FeatureExtractor extractor(options);
  examples::ImageCaptionModel model(options);
  std::filesystem::create_directories(out);
  options.save(out + "/model.json");
  optimizers::Adam optimizer;
  optimizer.setup(model);

  // 3. The data, read ahead in threads: images to take features of, and lists
  // of sentences.
  const auto pairs_of = [&](const auto& images) -> dataset::Dataset {
    return PhotographDataset(images, vocabulary, extractor);
  };
  using enum examples::ScenePart;
  const SceneDataset test_scenes(kTest, 500, vocabulary, extractor);
  const dataset::Dataset train_set =
      is_drawn ? SceneDataset(kTrain, 100'000, vocabulary, extractor)
               : pairs_of(photographs);
  const dataset::Dataset test_set =
      is_drawn ? test_scenes : pairs_of(test_photographs);
  const int64_t batch_size =
      GetFlag(FLAGS_batch_size).value_or(defaults.batch_size);
  iterators::MultithreadIterator train_iter(train_set, batch_size,
                                            {.n_threads = is_drawn ? 1 : 4});
  iterators::MultithreadIterator test_iter(test_set, batch_size,
                                           {.repeat = false, .shuffle = false});
  const dataset::Converter converter = [&](const auto& batch, const auto& to) {
    const auto fields =
        dataset::concat_examples(batch, {.device = to, .lists = {1}});
    return dataset::Example{extractor.extract(fields[0]), fields.list(1)};
  };

  // 4. The training loop.
  const auto every = [](int64_t iterations) {
    return training::AnyTrigger(iterations, "iteration");
  };
  const auto validate =
      every(GetFlag(FLAGS_val_iter).value_or(defaults.val_iter));
  const auto log = every(GetFlag(FLAGS_log_iter).value_or(defaults.log_iter));
  const auto save = every(GetFlag(FLAGS_snapshot_iter));
  const int64_t max_iters =
      GetFlag(FLAGS_max_iters).value_or(defaults.max_iters);
  training::StandardUpdater updater(train_iter, optimizer,
                                    {.converter = converter, .device = device});
  training::Trainer trainer(updater, {max_iters, "iteration"}, {.out = out});
  std::vector<std::string> columns = {"iteration", "main/loss",
                                      "validation/main/loss"};
  trainer.extend(
      extensions::Evaluator(test_iter, model,
                            {.converter = converter, .device = device}),
      {.trigger = validate});
  if (is_drawn) {
    columns.push_back("exact_match");
    trainer.extend(extensions::observe_value(
                       "exact_match",
                       [&](training::Trainer&) {
                         return exact_match(model, test_scenes, vocabulary);
                       }),
                   {.trigger = validate});
    trainer.extend(extensions::LinearShift("alpha", {2e-3, 1e-4},
                                           {max_iters / 3, max_iters}));
  }
  trainer.extend(extensions::LogReport({.trigger = log}));
  trainer.extend(
      extensions::PlotReport({"main/loss", "validation/main/loss"},
                             {.trigger = validate, .file_name = "loss.png"}));
  columns.push_back("elapsed_time");
  trainer.extend(extensions::PrintReport(columns));
  trainer.extend(extensions::ProgressBar());
  trainer.extend(
      extensions::snapshot_object(model, "model_{.updater.iteration}"),
      {.trigger = save});
  trainer.extend(extensions::snapshot({.n_retains = 1}), {.trigger = save});
  trainer.extend(extensions::StopOnInterrupt());
  examples::resume(trainer, GetFlag(FLAGS_resume));
  trainer.run();
}

}  // namespace

int main(int argc, char** argv) {
  return examples::run_example(argc, argv,
                               "Trains a model that describes images.", train);
}
