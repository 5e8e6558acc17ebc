// Trains a published model with a new head to classify: BERT texts, ViT images.
//
//   Data:   the folder --model with config.json and model.safetensors; for BERT
//           with tokenizer.json, for ViT, if there is one, with
//           preprocessor_config.json. And --data:
//             BERT: a file with a label, a tab and a text in each line, or a
//                   .csv file; by default, who speaks in Shakespeare's plays
//             ViT:  a folder with a folder of PNG or JPEG files for each class;
//                   by default, the digits that ship with catena
//           A tenth of the examples is for testing.
//   Run:    ./bazelw run //examples/gpt:classify -- --model=FOLDER
//           --head_only trains the head alone, much faster.
//   Expect: an accuracy that grows. The folder result, or --out, has the log,
//           report.html, snapshots, and in the folder model the model with its
//           head and labels.txt, the names of the classes.
//   Resume: --resume=latest continues after the last snapshot.

#include <algorithm>
#include <array>
#include <filesystem>
#include <fstream>
#include <functional>
#include <iostream>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "absl/flags/flag.h"
#include "catena/catena.h"
#include "catena/examples/gpt/labelled_files.h"
#include "catena/examples/support/flags.h"
#include "catena/examples/support/resume.h"
#include "catena/examples/text_classification/texts.h"

using absl::GetFlag;
using namespace catena;
namespace F = catena::functions;
namespace L = catena::links;
namespace extensions = catena::training::extensions;
namespace fs = std::filesystem;

ABSL_FLAG(std::string, model, "", "folder of the model");
ABSL_FLAG(std::string, data, "",
          "a file of labelled texts or a folder of images in folders");
ABSL_FLAG(std::string, device, "native", "native, cuda:0, ...");
ABSL_FLAG(examples::AtLeast<1>, batchsize, {16}, "examples in a minibatch");
ABSL_FLAG(examples::AtLeast<2>, length, {128},
          "tokens of a text that are read, at most");
ABSL_FLAG(bool, head_only, false, "leaves all but the head as it is");
ABSL_FLAG(double, lr, 5e-5,
          "largest learning rate, after a tenth of the steps; it ends at 0");
ABSL_FLAG(examples::AtLeast<1>, epoch, {3}, "sweeps over the training set");
ABSL_FLAG(std::string, out, "result", "folder for the results");
ABSL_FLAG(
    std::string, resume, "",
    "continues from this snapshot file, or from the \"latest\" one in --out");
ABSL_FLAG(uint64_t, seed, 0, "seed of all random numbers");

namespace {

// Examples end with the number of a class.
struct Data {
  dataset::Dataset train;
  dataset::Dataset test;
  std::vector<std::string> classes;
  dataset::Converter converter = dataset::default_converter();
};

// A tenth for testing, the same ones each time.
Data with_test_set(const dataset::Dataset& examples,
                   std::vector<std::string> classes) {
  const int64_t tests = examples->size() / 10;
  if (tests == 0) {
    raise<ValueError>("--data: expected at least 10 examples, got ",
                      examples->size());
  }
  auto [train, test] = datasets::split_dataset_random(
      examples, examples->size() - tests, GetFlag(FLAGS_seed));
  return {std::move(train), std::move(test), std::move(classes)};
}

nlohmann::json read_json(const fs::path& path) try {
  std::ifstream file(path);
  if (!file) raise<IoError>("cannot read ", path.string());
  return nlohmann::json::parse(file);
} catch (const nlohmann::json::exception& error) {
  raise<IoError>(path.string(), ": ", error.what());
}

// A model of classes with the weights of a published one, whose own head, if it
// has one, is left behind.
template <class Model>
Model with_new_head(const std::string& folder, int64_t classes) {
  const Model published = L::load_pretrained<Model>(folder);
  typename Model::Options options = published.options();
  options.classes = classes;
  if constexpr (std::is_same_v<Model, L::Bert>) {
    options.pooler = true;
    options.masked_lm = options.next_sentence = false;
  } else {
    options.pooler = false;
  }
  Model model(options);
  std::map<std::string, Parameter> weights;
  for (const auto& [name, parameter] : published.namedparams()) {
    weights.emplace(name, parameter);
  }
  for (const auto& [name, parameter] : model.namedparams()) {
    if (name.starts_with("/classifier/")) continue;
    const auto found = weights.find(name);
    if (found != weights.end()) parameter.copydata(found->second);
  }
  if (GetFlag(FLAGS_head_only)) {
    model.freeze();
    (*model.classifier)->unfreeze();
  }
  return model;
}

// Labelled texts as ids, padded to the longest one in a minibatch, and lengths.
Data load_texts(const datasets::Tokenizer& tokenizer, int64_t context) {
  examples::LabelledFiles texts;
  if (GetFlag(FLAGS_data).empty()) {
    const auto sets = examples::load_texts("shakespeare", "");
    std::vector<std::pair<std::string, std::string>> pairs;
    for (const auto& [label, text] : sets.train)
      pairs.emplace_back(label, text);
    for (const auto& [label, text] : sets.test) pairs.emplace_back(label, text);
    texts = examples::with_classes(pairs);
  } else {
    texts = examples::read_labelled_texts(GetFlag(FLAGS_data));
  }
  const auto length =
      static_cast<size_t>(std::min<int64_t>(GetFlag(FLAGS_length), context));
  std::vector<dataset::Example> all;
  for (const auto& [text, number] : texts.examples) {
    std::vector<int32_t> ids = tokenizer.encode(text);
    if (ids.size() > length) {  // the last one ends a text
      ids.erase(ids.begin() + length - 1, ids.end() - 1);
    }
    const auto count = static_cast<int32_t>(ids.size());
    all.push_back({ids, count, static_cast<int32_t>(number)});
  }
  Data data = with_test_set(std::move(all), texts.classes);
  data.converter = dataset::concat_converter(
      {.padding = dataset::Padding({Scalar(0), std::nullopt, std::nullopt})});
  return data;
}

// What images are like that a model was trained with, by channel.
struct ImageScale {
  std::array<double, 3> mean = {0.5, 0.5, 0.5};
  std::array<double, 3> deviation = {0.5, 0.5, 0.5};
};

ImageScale read_scale(const std::string& folder) {
  const fs::path path = fs::path(folder) / "preprocessor_config.json";
  ImageScale scale;
  if (!fs::exists(path)) return scale;
  const nlohmann::json json = read_json(path);
  try {
    scale.mean = json.value("image_mean", scale.mean);
    scale.deviation = json.value("image_std", scale.deviation);
  } catch (const nlohmann::json::exception& error) {
    raise<IoError>(path.string(),
                   ": expected image_mean and image_std of 3 numbers each: ",
                   error.what());
  }
  return scale;
}

// Images of (3, side, side), whose channels are red, green, blue.
dataset::Dataset prepared(const dataset::Dataset& images, int64_t side,
                          const ImageScale& scale) {
  const auto by_channel = [](const std::array<double, 3>& values) {
    return array::array(std::vector<float>(values.begin(), values.end()),
                        std::nullopt, native_device())
        .reshape(3, 1, 1);
  };
  const Array mean = by_channel(scale.mean);
  const Array deviation = by_channel(scale.deviation);
  return datasets::TransformDataset(
      images, [=](const dataset::Example& example) {
        const Array image =
            L::prepare_image(example[0], L::ImageSize{side, side}, {0, 0, 0});
        return dataset::Example{
            (array::flip(image, {0}) / 255.0f - mean) / deviation, example[1]};
      });
}

Data load_images(const std::string& folder, const L::VitOptions& options) {
  if (options.channels != 3) {
    raise<ValueError>("--model: expected a ViT of images with 3 channels, got ",
                      options.channels);
  }
  const ImageScale scale = read_scale(folder);
  if (GetFlag(FLAGS_data).empty()) {
    const auto [train, test] = datasets::get_digits({.ndim = 3, .scale = 255});
    std::vector<std::string> classes;
    for (int digit = 0; digit < 10; ++digit) {
      classes.push_back(std::to_string(digit));
    }
    return {prepared(train, options.image_size, scale),
            prepared(test, options.image_size, scale), classes};
  }
  const examples::LabelledFiles files =
      examples::find_labelled_images(GetFlag(FLAGS_data));
  const datasets::LabeledImageDataset images(
      files.examples,
      {.images = {.root = "", .color = dataset::ImageColor::kRgb}});
  return with_test_set(prepared(images, options.image_size, scale),
                       files.classes);
}

// The scores of classes, (B, classes), of a minibatch.
using Scores = std::function<Variable(const LossInputs&)>;

void train(Link& model, const Scores& scores, const Data& data) {
  std::cout << data.train->size() << " examples of " << data.classes.size()
            << " classes, " << data.test->size() << " for testing, "
            << model.count_params() << " parameters\n";
  iterators::SerialIterator train_iter(data.train, GetFlag(FLAGS_batchsize));
  iterators::SerialIterator test_iter(data.test, GetFlag(FLAGS_batchsize),
                                      {.repeat = false, .shuffle = false});

  // 1. The loss, and what is right, in numbers whose sums give the accuracy.
  const LossFunction loss = [&](const LossInputs& batch) {
    const Variable y = scores(batch);
    const Variable& t = batch[batch.size() - 1];
    const Variable loss = F::softmax_cross_entropy(y, t);
    const auto total = static_cast<double>(t.size());
    const Variable correct = F::accuracy(y, t) * total;
    report({{"loss", loss}, {"correct", correct}, {"total", total}}, &model);
    return loss;
  };

  // 2. Biases and factors do not decay.
  optimizers::AdamW optimizer({.lr = GetFlag(FLAGS_lr), .weight_decay = 0.01});
  optimizer.setup(model);
  for (const auto& [name, parameter] : model.namedparams()) {
    if (parameter.ndim() < 2) {
      update_rule_of(parameter).set_hyperparameter("weight_decay", 0);
    }
  }
  optimizer.add_hook(optimizers::GradientClipping(1.0));

  // 3. The training loop.
  const int64_t epochs = GetFlag(FLAGS_epoch);
  const int64_t batch_size = GetFlag(FLAGS_batchsize);
  const int64_t steps =
      epochs * ((data.train->size() + batch_size - 1) / batch_size);
  const Device device = Device::parse(GetFlag(FLAGS_device));
  training::StandardUpdater updater(
      train_iter, optimizer,
      {.converter = data.converter, .device = device, .loss_func = loss});
  training::Trainer trainer(updater, {epochs, "epoch"},
                            {.out = GetFlag(FLAGS_out)});
  trainer.extend(extensions::CosineShift(
                     "lr", steps, {.target = 0, .warmup_iter = steps / 10}),
                 {.trigger = {1, "iteration"}});
  trainer.extend(extensions::Evaluator(
      test_iter, model,
      {.converter = data.converter, .device = device, .eval_func = loss}));
  for (const std::string key : {"main/", "validation/main/"}) {
    trainer.extend(extensions::MicroAverage(key + "correct", key + "total",
                                            key + "accuracy"));
  }
  trainer.extend(extensions::observe_lr());
  trainer.extend(extensions::LogReport());
  trainer.extend(extensions::PrintReport(
      {"epoch", "main/loss", "validation/main/loss", "main/accuracy",
       "validation/main/accuracy", "elapsed_time"}));
  trainer.extend(extensions::ProgressBar());
  trainer.extend(extensions::HtmlReport());
  trainer.extend(extensions::snapshot({.n_retains = 2}));
  trainer.extend(extensions::StopOnInterrupt());
  examples::resume(trainer, GetFlag(FLAGS_resume));
  trainer.run();
}

// Saves what load_pretrained and this program read.
template <class Model>
void save(const Model& model, const Data& data) {
  const fs::path folder = fs::path(GetFlag(FLAGS_out)) / "model";
  fs::create_directories(folder);
  L::save_pretrained(model, folder.string());
  for (const char* name : {"tokenizer.json", "preprocessor_config.json"}) {
    const fs::path file = fs::path(GetFlag(FLAGS_model)) / name;
    if (!fs::exists(file)) continue;
    fs::copy_file(file, folder / name, fs::copy_options::overwrite_existing);
  }
  std::ofstream labels(folder / "labels.txt");
  for (const std::string& name : data.classes) labels << name << "\n";
  if (!labels.flush()) raise<IoError>("cannot write labels.txt in --out");
}

void classify_texts(const std::string& folder) {
  const auto tokenizer = datasets::read_tokenizer(folder + "/tokenizer.json");
  const auto options = L::read_options<L::Bert>(folder);
  if (tokenizer.vocabulary_size() > options.vocabulary) {
    raise<ValueError>("--model: expected a tokenizer of at most ",
                      options.vocabulary, " tokens, as the model has, got ",
                      tokenizer.vocabulary_size());
  }
  const Data data = load_texts(tokenizer, options.context);
  auto model = with_new_head<L::Bert>(folder, std::ssize(data.classes));
  train(
      model,
      [&](const LossInputs& batch) {
        return model.class_scores(
            model(batch[0], {.lengths = batch[1].data()}));
      },
      data);
  save(model, data);
}

void classify_images(const std::string& folder) {
  const Data data = load_images(folder, L::read_options<L::Vit>(folder));
  auto model = with_new_head<L::Vit>(folder, std::ssize(data.classes));
  train(
      model, [&](const LossInputs& batch) { return model(batch[0]); }, data);
  save(model, data);
}

void classify() {
  const std::string folder = GetFlag(FLAGS_model);
  if (folder.empty()) {
    raise<ValueError>("--model: expected the folder of a model, got none");
  }
  const DeviceScope scope(Device::parse(GetFlag(FLAGS_device)));
  array::random::seed(GetFlag(FLAGS_seed));
  const nlohmann::json config = read_json(fs::path(folder) / "config.json");
  const nlohmann::json type = config.is_object()
                                  ? config.value("model_type", nlohmann::json())
                                  : nlohmann::json();
  if (type == "bert") return classify_texts(folder);
  if (type == "vit") return classify_images(folder);
  raise<ValueError>("--model: expected the model_type bert or vit, got ",
                    type.dump());
}

}  // namespace

int main(int argc, char** argv) {
  return examples::run_example(
      argc, argv, "Trains a published model with a new head to classify.",
      classify);
}
