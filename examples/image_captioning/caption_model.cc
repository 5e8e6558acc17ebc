#include "catena/examples/image_captioning/caption_model.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "catena/array/core/error.h"
#include "catena/array/creation.h"
#include "catena/autograd/config.h"
#include "catena/caffe/convert_caffemodel.h"
#include "catena/functions/activation/log_softmax.h"
#include "catena/functions/activation/relu.h"
#include "catena/functions/array/concat.h"
#include "catena/functions/array/pad_sequence.h"
#include "catena/functions/array/reshape.h"
#include "catena/functions/array/split_axis.h"
#include "catena/functions/array/stack.h"
#include "catena/functions/loss/softmax_cross_entropy.h"
#include "catena/functions/math/operators.h"
#include "catena/functions/math/variable_methods.h"
#include "catena/functions/noise/dropout.h"
#include "catena/functions/pooling/max_pooling.h"
#include "catena/links/connection/convolution_nd.h"
#include "catena/links/connection/lstm.h"
#include "catena/links/connection/n_step_lstm.h"
#include "catena/links/initializers/initializers.h"
#include "catena/links/model/image_preparation.h"
#include "catena/links/model/resnet.h"
#include "catena/links/model/vgg.h"
#include "catena/links/reporter.h"

namespace catena::examples {

namespace F = catena::functions;
namespace L = catena::links;
namespace xp = catena::array;

namespace {

using Sequences = std::vector<Variable>;

// Takes whole sequences of different lengths.
class NStepLSTMLanguageModel final : public LanguageModel {
 public:
  explicit NStepLSTMLanguageModel(int64_t unit)
      : lstm(this, "lstm", 1, unit, unit, 0.0) {}

  Variable read(const Sequences& sequences) override {
    const auto [h, c, ys] = lstm(Variable(), Variable(), sequences);
    return F::concat(ys, 0);
  }
  Variable step(const Variable& x, LstmState* state) override {
    const auto [h, c, ys] = lstm(state->h, state->c, Sequences{x});
    *state = {h, c};
    return ys[0];
  }

 private:
  Child<L::NStepLSTM> lstm;
};

// Takes one element of all sequences at a time. Short ones are padded; what
// the LSTM says to the padding is left out.
class LSTMLanguageModel final : public LanguageModel {
 public:
  explicit LSTMLanguageModel(int64_t unit) : lstm(this, "lstm", unit, unit) {}

  Variable read(const Sequences& sequences) override {
    const Variable padded = F::pad_sequence(sequences);
    const int64_t length = padded.shape()[1];
    LstmState state;
    Sequences outputs;
    for (int64_t t = 0; t < length; ++t) {
      outputs.push_back(step(padded[{Slice(), t}], &state));
    }
    std::vector<int64_t> rows;
    for (size_t i = 0; i < sequences.size(); ++i) {
      for (int64_t t = 0; t < sequences[i].len(); ++t) {
        rows.push_back(static_cast<int64_t>(i) * length + t);
      }
    }
    return F::reshape(F::stack(outputs, 1),
                      {-1, padded.shape()[2]})[xp::array(rows)];
  }
  Variable step(const Variable& x, LstmState* state) override {
    const auto [c, h] = lstm(state->c, state->h, x);
    *state = {h, c};
    return h;
  }

 private:
  Child<L::StatelessLSTM> lstm;
};

Sequential image_embedding(const CaptionModelOptions& options) {
  if (options.feature != "cnn") return Sequential(L::Linear(options.unit));
  const auto convolution = [](int64_t channels, int64_t ksize, int64_t stride) {
    return L::Convolution2D(channels, ksize,
                            {.stride = stride,
                             .pad = ksize / 2,
                             .initialW = initializers::HeNormal()});
  };
  const auto pooling = [](const Variable& x) {
    return F::max_pooling_2d(x, 2);
  };
  // From 48 x 48 to 6 x 6.
  return Sequential(convolution(16, 5, 2), F::relu,  //
                    convolution(32, 3, 1), pooling, F::relu,
                    convolution(64, 3, 1), pooling, F::relu,
                    convolution(64, 3, 1), F::relu, L::Linear(options.unit));
}

// `source` is where Caffe's file can be had.
template <class Network>
std::unique_ptr<L::ImageModel> load_network(const std::string& weights,
                                            const std::string& source) {
  std::filesystem::path file = weights;
  try {
    if (file.extension() == ".caffemodel") {
      file.replace_extension(".npz");
      if (!std::filesystem::exists(file)) {
        caffe::convert_caffemodel_to_npz<Network>(weights, file.string());
      }
    }
    auto network = std::make_unique<Network>(file.string());
    network->to_device(current_device());
    return network;
  } catch (const IoError& error) {
    raise<IoError>(error.what(), "; --pretrained_model also takes ", source);
  }
}

}  // namespace

void CaptionModelOptions::save(const std::string& file) const {
  std::ofstream out(file);
  out << nlohmann::json{{"feature", feature},
                        {"pretrained_model", pretrained_model},
                        {"rnn", rnn},
                        {"unit", unit},
                        {"words", words}}
             .dump(1)
      << "\n";
  if (!out.flush()) raise<IoError>("cannot write '", file, "'");
}

CaptionModelOptions CaptionModelOptions::load(const std::string& file) {
  std::ifstream in(file);
  if (!in) raise<IoError>("cannot read '", file, "'");
  try {
    const auto json = nlohmann::json::parse(in);
    CaptionModelOptions options;
    json.at("feature").get_to(options.feature);
    json.at("pretrained_model").get_to(options.pretrained_model);
    json.at("rnn").get_to(options.rnn);
    json.at("unit").get_to(options.unit);
    json.at("words").get_to(options.words);
    return options;
  } catch (const nlohmann::json::exception& error) {
    raise<IoError>("'", file, "' does not describe a model: ", error.what());
  }
}

FeatureExtractor::FeatureExtractor(const CaptionModelOptions& options) {
  if (options.feature == "vgg16") {
    network_ = load_network<L::VGG16Layers>(
        options.pretrained_model,
        "VGG_ILSVRC_16_layers.caffemodel, which is at "
        "https://www.robots.ox.ac.uk/~vgg/software/very_deep/caffe");
    layer_ = "fc7";
  } else if (options.feature == "resnet50") {
    network_ = load_network<L::ResNet50Layers>(
        options.pretrained_model,
        "ResNet-50-model.caffemodel, which is at "
        "https://github.com/KaimingHe/deep-residual-networks");
    layer_ = "pool5";
  } else if (options.feature != "cnn") {
    raise<ValueError>("feature: expected cnn, vgg16 or resnet50, got '",
                      options.feature, "'");
  }
}

Array FeatureExtractor::prepare(const Array& image) const {
  if (network_) return network_->prepare(image, L::ImageSize{224, 224});
  return L::prepare_image(image, L::ImageSize{48, 48}, {0, 0, 0}) / 255;
}

Array FeatureExtractor::extract(const Array& images) {
  Array x = images.to_device(current_device());
  if (!network_) return x;
  const auto no_graph = no_backprop_mode();
  const auto test_mode = using_config(&Config::train, false);
  return (*network_)(x, {layer_}).at(layer_).array();
}

ImageCaptionModel::ImageCaptionModel(const CaptionModelOptions& options)
    : dropout_ratio_(options.dropout_ratio),
      embed_image(this, "embed_image", image_embedding(options)),
      embed_word(this, "embed_word", std::ssize(options.words), options.unit),
      out_word(this, "out_word", options.unit, std::ssize(options.words)) {
  if (!(dropout_ratio_ >= 0 && dropout_ratio_ < 1)) {
    raise<ValueError>("dropout_ratio: expected at least 0 and below 1, got ",
                      dropout_ratio_);
  }
  if (options.rnn == "nsteplstm") {
    add_link("language_model", NStepLSTMLanguageModel(options.unit));
  } else if (options.rnn == "lstm") {
    add_link("language_model", LSTMLanguageModel(options.unit));
  } else {
    raise<ValueError>("rnn: expected nsteplstm or lstm, got '", options.rnn,
                      "'");
  }
}

LanguageModel& ImageCaptionModel::language_model() {
  return dynamic_cast<LanguageModel&>((*this)["language_model"]);
}

Variable ImageCaptionModel::forward(const Variable& images,
                                    const Sequences& captions) {
  // The LSTM reads "<end> a red circle" and says "a red circle <end>".
  const Variable end(xp::full({1}, Vocabulary::kEnd, Dtype::kInt32));
  Sequences words;
  Sequences targets;
  std::vector<int64_t> images_of_words;
  std::vector<int64_t> ends;
  for (size_t i = 0; i < captions.size(); ++i) {
    words.insert(words.end(), {end, captions[i]});
    targets.insert(targets.end(), {captions[i], end});
    images_of_words.insert(images_of_words.end(),
                           static_cast<size_t>(captions[i].len() + 1),
                           static_cast<int64_t>(i));
    ends.push_back(std::ssize(images_of_words));
  }
  ends.pop_back();
  // All words see the image.
  const Variable inputs = embed_word(F::concat(words, 0)) +
                          embed_image(images)[xp::array(images_of_words)];
  const F::DropoutOptions dropout{.ratio = dropout_ratio_};
  const Variables parts = F::split_axis(F::dropout(inputs, dropout), ends, 0);
  const Variable outputs =
      language_model().read(Sequences(parts.begin(), parts.end()));
  Variable loss = F::softmax_cross_entropy(
      out_word(F::dropout(outputs, dropout)), F::concat(targets, 0));
  report({{"loss", loss}}, this);
  return loss;
}

std::vector<Caption> ImageCaptionModel::predict(const Variable& image,
                                                int64_t beam_size,
                                                int64_t max_length) {
  const auto no_graph = no_backprop_mode();
  const auto test_mode = using_config(&Config::train, false);
  // The beginning of a sentence, and the probability of every next word.
  struct Beginning {
    Caption caption;
    bool has_ended = false;
    LstmState state;
    std::vector<float> log_probabilities;
  };
  const Variable seen = embed_image(image);
  const auto read = [&](int32_t word, Beginning* beginning) {
    const Variable x = seen + embed_word(xp::array({word}));
    const Variable y = out_word(language_model().step(x, &beginning->state));
    beginning->log_probabilities = F::log_softmax(y).array().to_vector<float>();
  };
  std::vector<Beginning> beam(1);
  read(Vocabulary::kEnd, &beam[0]);
  for (int64_t length = 0; length < max_length; ++length) {
    // 1. All ways to continue.
    struct Candidate {
      double log_probability;
      const Beginning* beginning;
      int32_t word;
    };
    std::vector<Candidate> candidates;
    for (const Beginning& beginning : beam) {
      const double before = beginning.caption.log_probability;
      if (beginning.has_ended) {
        candidates.push_back({before, &beginning, Vocabulary::kEnd});
        continue;
      }
      int32_t word = 0;
      for (const float after : beginning.log_probabilities) {
        candidates.push_back({before + after, &beginning, word++});
      }
    }
    // 2. The best of them.
    std::stable_sort(candidates.begin(), candidates.end(),
                     [](const Candidate& a, const Candidate& b) {
                       return a.log_probability > b.log_probability;
                     });
    candidates.resize(
        std::min(candidates.size(), static_cast<size_t>(beam_size)));
    std::vector<Beginning> next;
    for (const Candidate& candidate : candidates) {
      Beginning& beginning = next.emplace_back(*candidate.beginning);
      beginning.caption.log_probability = candidate.log_probability;
      beginning.has_ended = candidate.word == Vocabulary::kEnd;
      if (beginning.has_ended) continue;
      beginning.caption.words.push_back(candidate.word);
      read(candidate.word, &beginning);
    }
    beam = std::move(next);
    if (std::all_of(beam.begin(), beam.end(),
                    [](const Beginning& b) { return b.has_ended; })) {
      break;
    }
  }
  std::vector<Caption> captions;
  for (const Beginning& beginning : beam) captions.push_back(beginning.caption);
  return captions;
}

}  // namespace catena::examples
