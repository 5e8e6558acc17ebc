#pragma once

#include <cmath>
#include <cstdint>
#include <optional>
#include <type_traits>

#include "catena/functions/activation/relu.h"
#include "catena/functions/activation/softmax.h"
#include "catena/functions/array/reshape.h"
#include "catena/functions/array/split_axis.h"
#include "catena/functions/array/transpose.h"
#include "catena/functions/loss/softmax_cross_entropy.h"
#include "catena/functions/math/matmul.h"
#include "catena/functions/math/operators.h"
#include "catena/functions/noise/dropout.h"
#include "catena/functions/pooling/max_pooling.h"
#include "catena/links/chain.h"
#include "catena/links/connection/convolution_nd.h"
#include "catena/links/connection/embed_id.h"
#include "catena/links/connection/linear.h"
#include "catena/links/connection/lstm.h"
#include "catena/links/connection/n_step_gru.h"
#include "catena/links/connection/n_step_lstm.h"
#include "catena/links/connection/n_step_rnn.h"
#include "catena/links/model/resnet.h"
#include "catena/links/normalization/batch_normalization.h"
#include "catena/links/normalization/layer_normalization.h"

// The networks that benchmarks train. torch_benchmark.py has the same ones:
// change both.
namespace catena::benchmarks {

namespace F = functions;
namespace L = links;

// Two hidden layers, of images (N, pixels).
class Mlp : public Chain<Mlp> {
 public:
  Mlp(int64_t units, int64_t classes)
      : l1(this, "l1", units), l2(this, "l2", units), l3(this, "l3", classes) {}
  Variable forward(const Variable& x) {
    return l3(F::relu(l2(F::relu(l1(x)))));
  }

 private:
  Child<L::Linear> l1, l2, l3;
};

class LeNet : public Chain<LeNet> {
 public:
  LeNet()
      : conv1(this, "conv1", 1, 20, 5),
        conv2(this, "conv2", 20, 50, 5),
        fc1(this, "fc1", 500),
        fc2(this, "fc2", 10) {}
  Variable forward(const Variable& x) {
    Variable h = F::max_pooling_2d(F::relu(conv1(x)), 2, {.stride = 2});
    h = F::max_pooling_2d(F::relu(conv2(h)), 2, {.stride = 2});
    return fc2(F::relu(fc1(h)));
  }

 private:
  Child<L::Convolution2D> conv1, conv2;
  Child<L::Linear> fc1, fc2;
};

// Convolution, batch normalization, relu.
class VggBlock : public Chain<VggBlock> {
 public:
  explicit VggBlock(int64_t channels)
      : conv(this, "conv", channels, 3,
             L::ConvolutionOptions{.pad = 1, .nobias = true}),
        bn(this, "bn", channels) {}
  Variable forward(const Variable& x) { return F::relu(bn(conv(x))); }

 private:
  Child<L::Convolution2D> conv;
  Child<L::BatchNormalization> bn;
};

// The network of Chainer's CIFAR example (Simonyan and Zisserman, 2014, for
// small images); `width` is 64 there.
class Vgg : public Chain<Vgg> {
 public:
  explicit Vgg(int64_t classes, int64_t width = 64)
      : blocks(this, "blocks"),
        fc1(this, "fc1", 8 * width, L::LinearOptions{.nobias = true}),
        bn(this, "bn", 8 * width),
        fc2(this, "fc2", classes) {
    for (const Stage& stage : kStages) {
      for (int i = 0; i < stage.blocks; ++i) {
        blocks->append(VggBlock(stage.widths * width));
      }
    }
  }
  Variable forward(const Variable& x) {
    Variable h = x;
    int64_t block = 0;
    for (const Stage& stage : kStages) {
      for (int i = 0; i < stage.blocks; ++i) {
        if (i > 0) h = F::dropout(h, {.ratio = stage.dropout});
        h = blocks->at<VggBlock>(block++).forward(h);
      }
      h = F::max_pooling_2d(h, 2, {.stride = 2});
    }
    h = F::relu(bn(fc1(F::dropout(h))));
    return fc2(F::dropout(h));
  }

 private:
  struct Stage {
    int64_t widths;
    int blocks;
    double dropout;
  };
  static constexpr Stage kStages[] = {
      {1, 2, 0.3}, {2, 2, 0.4}, {4, 3, 0.4}, {8, 3, 0.4}, {8, 3, 0.4}};
  Child<ChainList> blocks;
  Child<L::Linear> fc1;
  Child<L::BatchNormalization> bn;
  Child<L::Linear> fc2;
};

// ResNet-50 with 1,000 classes.
class ResNet50 : public Chain<ResNet50> {
 public:
  ResNet50() : layers(this, "layers", std::nullopt) {}
  Variable forward(const Variable& x) {
    return layers->forward(x, {"fc6"}).at("fc6");
  }

 private:
  Child<L::ResNet50Layers> layers;
};

// A language model with two LSTM layers and dropout.
struct LanguageModelSizes {
  int64_t steps = 35;
  int64_t batch = 20;
  int64_t units = 650;
  int64_t words = 10000;
};

// With stateful links: truncated backpropagation through time.
class StepByStep : public Chain<StepByStep> {
 public:
  explicit StepByStep(const LanguageModelSizes& sizes)
      : embed(this, "embed", sizes.words, sizes.units),
        l1(this, "l1", sizes.units, sizes.units),
        l2(this, "l2", sizes.units, sizes.units),
        l3(this, "l3", sizes.units, sizes.words) {}

  static Shape shape(const LanguageModelSizes& sizes) {
    return {sizes.steps, sizes.batch};
  }
  // x and t have this shape. Gradients end at the state that the last call
  // left.
  Variable loss(const Array& x, const Array& t) {
    for (L::LSTM* layer : {&*l1, &*l2}) {
      if (!layer->h.defined()) continue;
      layer->set_state(as_variable(layer->c.data()),
                       as_variable(layer->h.data()));
    }
    Variable loss;
    for (int64_t step = 0; step < x.shape()[0]; ++step) {
      const Variable h0 = embed(as_variable(x[step]));
      const Variable h1 = l1(F::dropout(h0));
      const Variable h2 = l2(F::dropout(h1));
      const Variable one =
          F::softmax_cross_entropy(l3(F::dropout(h2)), t[step]);
      loss = loss.defined() ? loss + one : one;
    }
    return loss;
  }

 private:
  Child<L::EmbedID> embed;
  Child<L::LSTM> l1, l2;
  Child<L::Linear> l3;
};

// The same with whole sequences and NStepLSTM, or other layers.
template <class Layers>
class WholeSequencesOf : public Chain<WholeSequencesOf<Layers>> {
 public:
  explicit WholeSequencesOf(const LanguageModelSizes& sizes)
      : embed(this, "embed", sizes.words, sizes.units),
        layers(this, "layers", 2, sizes.units, sizes.units, 0.5),
        l3(this, "l3", sizes.units, sizes.words) {}

  static Shape shape(const LanguageModelSizes& sizes) {
    return {sizes.batch, sizes.steps};
  }
  // x and t have this shape.
  Variable loss(const Array& x, const Array& t) {
    const int64_t batch = x.shape()[0];
    const int64_t steps = x.shape()[1];
    const Variable ys = run(F::dropout(embed(as_variable(x))));
    const Variable h = F::reshape(ys, {batch * steps, ys.shape()[2]});
    return F::softmax_cross_entropy(l3(F::dropout(h)), t.reshape({-1})) * steps;
  }

 private:
  // The next call continues from the last states, without their graph.
  Variable run(const Variable& xs) {
    if constexpr (std::is_base_of_v<L::NStepLSTMBase, Layers>) {
      const auto result = layers(hx_, cx_, xs);
      hx_ = as_variable(result.hy.data());
      cx_ = as_variable(result.cy.data());
      return result.ys;
    } else {
      const auto result = layers(hx_, xs);
      hx_ = as_variable(result.hy.data());
      return result.ys;
    }
  }
  void visit_state(const Link::StateVisitor& visit) override {
    visit(hx_);
    visit(cx_);
  }

  Child<L::EmbedID> embed;
  Child<Layers> layers;
  Child<L::Linear> l3;
  Variable hx_, cx_;
};
using WholeSequences = WholeSequencesOf<L::NStepLSTM>;

// A transformer's encoder (Vaswani et al., 2017) without embeddings.
struct TransformerSizes {
  int64_t layers = 6;
  int64_t batch = 32;
  int64_t steps = 128;
  int64_t units = 512;
  int64_t heads = 8;
};

class TransformerLayer : public Chain<TransformerLayer> {
 public:
  explicit TransformerLayer(const TransformerSizes& sizes)
      : sizes_(sizes),
        qkv(this, "qkv", sizes.units, 3 * sizes.units),
        out(this, "out", sizes.units, sizes.units),
        norm1(this, "norm1", sizes.units),
        ff1(this, "ff1", sizes.units, 4 * sizes.units),
        ff2(this, "ff2", 4 * sizes.units, sizes.units),
        norm2(this, "norm2", sizes.units) {}

  // x is (batch * steps, units).
  Variable forward(const Variable& x) {
    const Variable h = norm1(x + out(attention(qkv(x))));
    return norm2(h + ff2(F::relu(ff1(h))));
  }

 private:
  // x is (batch * steps, 3 * units): queries, keys and values of all heads.
  Variable attention(const Variable& x) const {
    const auto& [layers, batch, steps, units, heads] = sizes_;
    const Variables split = F::split_axis(x, 3, {.axis = 1});
    Variables parts;
    for (const Variable& part : split) {
      parts.push_back(
          F::transpose(F::reshape(part, {batch, steps, heads, units / heads}),
                       {0, 2, 1, 3}));
    }
    const double scale = 1 / std::sqrt(static_cast<double>(units / heads));
    const Variable weights = F::softmax(
        F::matmul(parts[0], parts[1], {.transb = true, .alpha = scale}),
        {.axis = 3});
    const Variable y = F::matmul(weights, parts[2]);
    return F::reshape(F::transpose(y, {0, 2, 1, 3}), {batch * steps, units});
  }

  TransformerSizes sizes_;
  Child<L::Linear> qkv, out;
  Child<L::LayerNormalization> norm1;
  Child<L::Linear> ff1, ff2;
  Child<L::LayerNormalization> norm2;
};

// The score of each unit is that of a class.
class Transformer : public Chain<Transformer> {
 public:
  explicit Transformer(const TransformerSizes& sizes) : layers(this, "layers") {
    for (int64_t i = 0; i < sizes.layers; ++i) {
      layers->append(TransformerLayer(sizes));
    }
  }
  Variable forward(const Variable& x) {
    Variable h = x;
    for (int64_t i = 0; i < layers->size(); ++i) {
      h = layers->at<TransformerLayer>(i).forward(h);
    }
    return h;
  }

 private:
  Child<ChainList> layers;
};

}  // namespace catena::benchmarks
