#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "catena/autograd/variable.h"
#include "catena/examples/image_captioning/captions.h"
#include "catena/links/chain.h"
#include "catena/links/connection/embed_id.h"
#include "catena/links/connection/linear.h"
#include "catena/links/model/image_model.h"
#include "catena/links/sequential.h"

// The model that train.cc trains and predict.cc uses: a convolutional network
// sees the image, and an LSTM, which gets what it sees together with the words
// so far, says the next word (Donahue et al., 2015).
namespace catena::examples {

// How a model is built. It is written next to the trained parameters.
struct CaptionModelOptions {
  // "cnn": a small network, trained with the rest of the model; "vgg16" and
  // "resnet50": networks that were trained on ImageNet and do not change.
  std::string feature = "cnn";
  // Their weights; see links::PretrainedModel. A file of Caffe is converted.
  std::string pretrained_model = "auto";
  // "nsteplstm", which takes whole sentences, or "lstm", which takes words.
  std::string rnn = "nsteplstm";
  int64_t unit = 512;
  double dropout_ratio = 0.5;
  std::vector<std::string> words = {};  // Vocabulary::words()

  // As JSON. Throws IoError when the file cannot be read or written.
  void save(const std::string& file) const;
  static CaptionModelOptions load(const std::string& file);
};

// Turns images into what the model takes, which is not trained.
class FeatureExtractor {
 public:
  // Throws ValueError for an unknown feature; IoError when there are no
  // weights.
  explicit FeatureExtractor(const CaptionModelOptions& options);

  // An image (h, w), (h, w, 3) or (3, h, w), from 0 to 255, resized and shifted
  // as the network wants it: (3, H, W), float32.
  Array prepare(const Array& image) const;
  // (N, 3, H, W) to (N, D), on the current device. For "cnn" the images
  // themselves: its features are part of the model.
  Array extract(const Array& images);

 private:
  std::unique_ptr<links::ImageModel> network_;  // null for "cnn"
  std::string layer_;                           // of the features
};

// A sentence that the model found, and the logarithm of its probability.
struct Caption {
  WordIds words;
  double log_probability = 0;
};

// What an LSTM remembers.
struct LstmState {
  Variable h;
  Variable c;
};

// The LSTM of the model, in one of two forms.
class LanguageModel : public ChainBase {
 public:
  // Reads sequences, (length, unit) each. Returns the output after each of
  // their elements, (sum of lengths, unit), sequence by sequence.
  virtual Variable read(const std::vector<Variable>& sequences) = 0;
  // Reads one element, (1, unit), and returns the output, (1, unit).
  virtual Variable step(const Variable& x, LstmState* state) = 0;
};

class ImageCaptionModel : public Chain<ImageCaptionModel> {
 public:
  // Throws ValueError for an unknown rnn or a dropout_ratio out of range.
  explicit ImageCaptionModel(const CaptionModelOptions& options);

  // The mean cross entropy of the words of `captions`, (length,) each, and of
  // their ends. `images` come from FeatureExtractor::extract.
  Variable forward(const Variable& images,
                   const std::vector<Variable>& captions);

  // The most probable sentences for an image, (1, ...), best first, by beam
  // search: after each word it keeps the beam_size most probable beginnings.
  // With 1 it is greedy, since it always takes the most probable word.
  std::vector<Caption> predict(const Variable& image, int64_t beam_size,
                               int64_t max_length);

 private:
  LanguageModel& language_model();

  double dropout_ratio_;
  Child<Sequential> embed_image;
  Child<links::EmbedID> embed_word;
  Child<links::Linear> out_word;
};

}  // namespace catena::examples
