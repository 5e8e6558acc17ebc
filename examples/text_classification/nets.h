#pragma once

#include <algorithm>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "catena/array/core/error.h"
#include "catena/array/creation.h"
#include "catena/array/index.h"
#include "catena/autograd/config.h"
#include "catena/autograd/variable.h"
#include "catena/functions/activation/relu.h"
#include "catena/functions/activation/softmax.h"
#include "catena/functions/array/broadcast_to.h"
#include "catena/functions/array/concat.h"
#include "catena/functions/array/expand_dims.h"
#include "catena/functions/array/split_axis.h"
#include "catena/functions/array/stack.h"
#include "catena/functions/array/transpose.h"
#include "catena/functions/evaluation/accuracy.h"
#include "catena/functions/loss/softmax_cross_entropy.h"
#include "catena/functions/math/average.h"
#include "catena/functions/math/max.h"
#include "catena/functions/math/operators.h"
#include "catena/functions/math/variable_methods.h"
#include "catena/functions/noise/dropout.h"
#include "catena/links/chain.h"
#include "catena/links/connection/convolution_nd.h"
#include "catena/links/connection/embed_id.h"
#include "catena/links/connection/linear.h"
#include "catena/links/connection/n_step_lstm.h"
#include "catena/links/initializers/initializers.h"
#include "catena/links/reporter.h"

namespace catena::examples {

// What makes a classifier; args.json has it, and the labels.
struct NetOptions {
  std::string model = "cnn";  // cnn, rnn or bow
  int64_t n_vocab = 0;
  int64_t n_class = 0;
  int64_t unit = 300;
  int64_t layer = 1;
  double dropout = 0.4;
};

// Texts have different lengths. Their vectors are rows of one array, one below
// the other, and no time goes into padding.
inline Variables split_texts(const Variable& rows,
                             const std::vector<Variable>& xs, int64_t gap = 0) {
  std::vector<int64_t> ends;
  for (const Variable& x : xs) {
    ends.push_back((ends.empty() ? 0 : ends.back()) + x.len() + gap);
  }
  ends.pop_back();
  return functions::split_axis(rows, ends, 0);
}

// Dropout of whole words: a text must not be known by a few of them.
inline Variable drop_words(const Variable& words, double ratio) {
  if (!config().train) return words;
  const Array kept =
      functions::dropout(Variable(array::ones({words.len(), 1}, words.dtype())),
                         {.ratio = ratio})
          .array();
  return words * functions::broadcast_to(Variable(kept), words.shape());
}

// Layers of dropout, linear, relu.
class MLP : public Callable<MLP, ChainList> {
 public:
  MLP(int64_t n_layers, int64_t n_in, int64_t n_units, double dropout)
      : dropout_(dropout) {
    for (int64_t i = 0; i < n_layers; ++i) {
      append(links::Linear(i == 0 ? n_in : n_units, n_units));
    }
  }
  Variable forward(const Variable& x) {
    Variable h = x;
    for (int64_t i = 0; i < size(); ++i) {
      h = functions::dropout(h, {.ratio = dropout_});
      h = functions::relu(at<links::Linear>(i)(h));
    }
    return h;
  }

 private:
  double dropout_;
};

// An LSTM reads the text; its last state represents it.
class RNNEncoder : public Chain<RNNEncoder> {
 public:
  explicit RNNEncoder(const NetOptions& o)
      : out_units(o.unit),
        embed(this, "embed", o.n_vocab, o.unit,
              {.initialW = initializers::Uniform(0.25)}),
        encoder(this, "encoder", o.layer, o.unit, o.unit, o.dropout),
        dropout_(o.dropout) {}

  Variable forward(const std::vector<Variable>& xs) {
    const Variable words =
        drop_words(embed(functions::concat(xs, 0)), dropout_);
    const auto [h, c, ys] =
        encoder(Variable(), Variable(), split_texts(words, xs));
    return h[-1];
  }

  const int64_t out_units;

 private:
  Child<links::EmbedID> embed;
  Child<links::NStepLSTM> encoder;
  double dropout_;
};

// Convolutions look for patterns in windows of three, four and five words, and
// the best place in the text counts (Y. Kim, 2014).
class CNNEncoder : public Chain<CNNEncoder> {
 public:
  explicit CNNEncoder(const NetOptions& o)
      : out_units(3 * width(o)),
        embed(
            this, "embed", o.n_vocab, o.unit,
            {.initialW = initializers::Uniform(0.25), .ignore_label = kNoWord}),
        cnn_w3(this, "cnn_w3", o.unit, width(o), 3, {.nobias = true}),
        cnn_w4(this, "cnn_w4", o.unit, width(o), 4, {.nobias = true}),
        cnn_w5(this, "cnn_w5", o.unit, width(o), 5, {.nobias = true}),
        mlp(this, "mlp", o.layer, out_units, out_units, o.dropout),
        dropout_(o.dropout) {}

  Variable forward(const std::vector<Variable>& xs) {
    // All texts in one row, with gaps so that no window sees two of them. A gap
    // is all zeros, and without a bias it gives zeros, which are nothing to
    // relu(max(...)).
    constexpr int64_t kGap = 4;
    const Variable gap(array::full({kGap}, kNoWord, Dtype::kInt32));
    std::vector<Variable> row;
    int64_t length = 0;
    for (const Variable& x : xs) {
      row.insert(row.end(), {gap, x});
      length += kGap + x.len();
    }
    row.push_back(gap);
    const Variable words =
        drop_words(embed(functions::concat(row, 0)), dropout_);
    const Variable channels =
        functions::expand_dims(functions::transpose(words), 0);
    std::vector<Variable> windows;
    for (auto* cnn : {&cnn_w3, &cnn_w4, &cnn_w5}) {
      windows.push_back((*cnn)(channels)[{0, Slice(), Slice(0, length)}]);
    }
    std::vector<Variable> best;
    const Variable all = functions::transpose(functions::concat(windows, 0));
    for (const Variable& text : split_texts(all, xs, kGap)) {
      best.push_back(functions::max(text, 0));
    }
    const Variable h = functions::relu(functions::stack(best, 0));
    return mlp(h);
  }

  const int64_t out_units;

 private:
  static constexpr int64_t kNoWord = -1;
  static int64_t width(const NetOptions& o) {
    return std::max<int64_t>(o.unit / 3, 1);
  }

  Child<links::EmbedID> embed;
  Child<links::Convolution1D> cnn_w3, cnn_w4, cnn_w5;
  Child<MLP> mlp;
  double dropout_;
};

// The mean of the words' vectors: a bag of words, without their order.
class BOWEncoder : public Chain<BOWEncoder> {
 public:
  explicit BOWEncoder(const NetOptions& o)
      : out_units(o.unit),
        embed(this, "embed", o.n_vocab, o.unit,
              {.initialW = initializers::Uniform(0.25)}),
        mlp(this, "mlp", o.layer, o.unit, o.unit, o.dropout),
        dropout_(o.dropout) {}

  Variable forward(const std::vector<Variable>& xs) {
    const Variable words =
        drop_words(embed(functions::concat(xs, 0)), dropout_);
    std::vector<Variable> means;
    for (const Variable& text : split_texts(words, xs)) {
      means.push_back(functions::mean(text, 0));
    }
    return mlp(functions::stack(means, 0));
  }

  const int64_t out_units;

 private:
  Child<links::EmbedID> embed;
  Child<MLP> mlp;
  double dropout_;
};

template <class Encoder>
class TextClassifier : public Chain<TextClassifier<Encoder>> {
 public:
  explicit TextClassifier(const NetOptions& options)
      : encoder(this, "encoder", options),
        output(this, "output", encoder->out_units, options.n_class) {}

  // The cross entropy of texts, word by word, and their labels, (B,).
  Variable forward(const std::vector<Variable>& xs, const Variable& t) {
    const Variable y = scores(xs);
    const Variable loss = functions::softmax_cross_entropy(y, t);
    const auto total = static_cast<double>(xs.size());
    const Variable correct = functions::accuracy(y, t) * total;
    report({{"loss", loss}, {"correct", correct}, {"total", total}}, this);
    return loss;
  }

  // The probabilities of the labels, (B, n_class).
  Array predict(const std::vector<Variable>& xs) {
    const auto test_mode = using_config(&Config::train, false);
    const auto no_graph = no_backprop_mode();
    return functions::softmax(scores(xs)).array();
  }

 private:
  Variable scores(const std::vector<Variable>& xs) {
    return output(functions::dropout(encoder(xs), {.ratio = 0.1}));
  }

  Child<Encoder> encoder;
  Child<links::Linear> output;
};

// Calls `use` with a new classifier. Throws ValueError when there is no such
// model.
template <class Use>
void with_classifier(const NetOptions& options, const Use& use) {
  const auto use_with = [&](auto model) { use(model); };
  if (options.model == "cnn") {
    return use_with(TextClassifier<CNNEncoder>(options));
  }
  if (options.model == "rnn") {
    return use_with(TextClassifier<RNNEncoder>(options));
  }
  if (options.model == "bow") {
    return use_with(TextClassifier<BOWEncoder>(options));
  }
  raise<ValueError>("--model: expected cnn, rnn or bow, got '", options.model,
                    "'");
}

}  // namespace catena::examples
