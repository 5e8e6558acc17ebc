// Links: sizes, numbers of layers and samples, words and labels.

#include <functional>
#include <vector>

#include "catena/array/all.h"
#include "catena/functions/functions.h"
#include "catena/links/links.h"
#include "catena/tests/arguments/cases.h"
#include "catena/tests/arguments/small_inputs.h"
#include "catena/tests/testing/temp_folder.h"

namespace catena::testing {
namespace {

using namespace links;  // NOLINT: each line would have it

// (2, 3) or another shape whose last extent is 3.
Variable x() { return variable({2, 3}); }

// The scores of a small language model with another size.
Variable gpt(int64_t Gpt2Options::*size, int64_t n) {
  Gpt2Options options = {
      .vocabulary = 5, .context = 4, .units = 4, .heads = 2, .layers = 1};
  options.*size = n;
  return Gpt2(options)(as_variable(labels({1, 3})));
}

Llama llama(const std::function<void(LlamaOptions&)>& change) {
  LlamaOptions options = {.vocabulary = 5,
                          .context = 4,
                          .units = 4,
                          .hidden = 4,
                          .heads = 2,
                          .layers = 1};
  change(options);
  return Llama(options);
}

// The scores of a small Llama with another size.
Variable llama_scores(const std::function<void(LlamaOptions&)>& change) {
  return llama(change)(as_variable(labels({1, 3})));
}

Variable bert(int64_t BertOptions::*size, int64_t n) {
  BertOptions options = {.vocabulary = 5,
                         .context = 4,
                         .units = 4,
                         .hidden = 4,
                         .heads = 2,
                         .layers = 1};
  options.*size = n;
  Bert model(options);
  const Variable features = model(as_variable(labels({1, 3})));
  return options.classes > 0 ? model.class_scores(features) : features;
}

Variable vit(int64_t VitOptions::*size, int64_t n) {
  VitOptions options = {.image_size = 4,
                        .patch_size = 2,
                        .channels = 1,
                        .units = 4,
                        .hidden = 4,
                        .heads = 2,
                        .layers = 1,
                        .classes = 2};
  options.*size = n;
  return Vit(options)(variable({1, 1, 4, 4}));
}

// A text of a small Llama.
std::vector<int32_t> text(const std::vector<int32_t>& ids,
                          const std::function<void(GenerateOptions&)>& change) {
  Llama model = llama([](LlamaOptions&) {});
  GenerateOptions options = {.max_tokens = 2};
  change(options);
  return generate(model, ids, options).ids;
}

// What two sizes make of a link.
template <class L>
ArgumentCases sizes(const std::string& name, const std::string& first,
                    const std::string& second) {
  const auto call = [](int64_t in, int64_t out) {
    L link(in, out);
    return link(x());
  };
  return {
      {"links::" + name, first, [=](int64_t n) { return call(n, 2); }},
      {"links::" + name, second, [=](int64_t n) { return call(3, n); }},
  };
}

template <class L>
ArgumentCases n_step(const std::string& name) {
  const auto call = [](int64_t layers, int64_t in, int64_t out) {
    L link(layers, in, out, 0);
    const std::vector<Variable> xs = {x()};
    if constexpr (requires { link({}, {}, xs); }) {
      return link({}, {}, xs).ys;
    } else {
      return link({}, xs).ys;
    }
  };
  const std::string full = "links::" + name;
  return {
      {full, "n_layers", [=](int64_t n) { return call(n, 3, 2); }},
      {full, "in_size", [=](int64_t n) { return call(1, n, 2); }},
      {full, "out_size", [=](int64_t n) { return call(1, 3, n); }},
  };
}

// Those that take the state, too.
template <class L>
Variable call_with_state(int64_t in, int64_t out) {
  L link(in, out);
  const Variable h = variable({2, 2});
  if constexpr (requires { link(h, x()); }) {
    return link(h, x());
  } else {
    return link(h, h, x())[0];
  }
}

ArgumentCases recurrent() {
  ArgumentCases cases = {
      {"links::StatelessGRU", "in_size",
       [](int64_t n) { return call_with_state<StatelessGRU>(n, 2); }},
      {"links::StatelessGRU", "out_size",
       [](int64_t n) { return call_with_state<StatelessGRU>(3, n); }},
      {"links::StatelessMGU", "n_inputs",
       [](int64_t n) { return call_with_state<StatelessMGU>(n, 2); }},
      {"links::StatelessMGU", "n_units",
       [](int64_t n) { return call_with_state<StatelessMGU>(3, n); }},
      {"links::StatelessLSTM", "in_size",
       [](int64_t n) { return call_with_state<StatelessLSTM>(n, 2); }},
      {"links::StatelessLSTM", "out_size",
       [](int64_t n) { return call_with_state<StatelessLSTM>(3, n); }},
      {"links::ChildSumTreeLSTM", "in_size",
       [](int64_t n) {
         ChildSumTreeLSTM link(n, 2);
         return link(variables(2, {2, 2}), variables(2, {2, 2}), x())[0];
       }},
      {"links::ChildSumTreeLSTM", "out_size",
       [](int64_t n) {
         ChildSumTreeLSTM link(3, n);
         return link(variables(2, {2, 2}), variables(2, {2, 2}), x())[0];
       }},
      {"links::NaryTreeLSTM", "in_size",
       [](int64_t n) {
         NaryTreeLSTM link(n, 2);
         return link(variables(2, {2, 2}), variables(2, {2, 2}), x())[0];
       }},
      {"links::NaryTreeLSTM", "out_size",
       [](int64_t n) {
         NaryTreeLSTM link(3, n);
         return link(variables(2, {2, 2}), variables(2, {2, 2}), x())[0];
       }},
      {"links::NaryTreeLSTM", "n_ary",
       [](int64_t n) {
         NaryTreeLSTM link(3, 2, n);
         return link(variables(2, {2, 2}), variables(2, {2, 2}), x())[0];
       }},
      {"links::NaryTreeLSTM::W_h", "k",
       [](int64_t n) {
         NaryTreeLSTM link(3, 2);
         link.W_h(n).count_params();
       }},
  };
  for (const ArgumentCases& more :
       {sizes<LSTM>("LSTM", "in_size", "out_size"),
        sizes<GRU>("GRU", "in_size", "out_size"),
        sizes<StatefulGRU>("StatefulGRU", "in_size", "out_size"),
        sizes<StatefulMGU>("StatefulMGU", "in_size", "out_size"),
        sizes<StatefulPeepholeLSTM>("StatefulPeepholeLSTM", "in_size",
                                    "out_size"),
        sizes<StatefulZoneoutLSTM>("StatefulZoneoutLSTM", "in_size",
                                   "out_size"),
        n_step<NStepLSTM>("NStepLSTM"), n_step<NStepBiLSTM>("NStepBiLSTM"),
        n_step<NStepGRU>("NStepGRU"), n_step<NStepBiGRU>("NStepBiGRU"),
        n_step<NStepRNNTanh>("NStepRNNTanh"),
        n_step<NStepRNNReLU>("NStepRNNReLU"),
        n_step<NStepBiRNNTanh>("NStepBiRNNTanh"),
        n_step<NStepBiRNNReLU>("NStepBiRNNReLU")}) {
    cases.insert(cases.end(), more.begin(), more.end());
  }
  return cases;
}

ArgumentCases connections() {
  ArgumentCases cases = {
      {"links::Linear::forward", "n_batch_axes",
       [](int64_t n) {
         Linear link(3, 2);
         return link.forward(variable({2, 2, 3}), {.n_batch_axes = n});
       }},
      {"links::Linear::operator()", "n_batch_axes",
       [](int64_t n) {
         Linear link(2);
         return link(variable({2, 2, 3}), {.n_batch_axes = n});
       }},
      {"links::Bilinear", "left_size",
       [](int64_t n) { return Bilinear(n, 3, 2)(x(), x()); }},
      {"links::Bilinear", "right_size",
       [](int64_t n) { return Bilinear(3, n, 2)(x(), x()); }},
      {"links::Bilinear", "out_size",
       [](int64_t n) { return Bilinear(3, 3, n)(x(), x()); }},
      {"links::Bias", "axis",
       [](int64_t n) { return Bias({.axis = n, .shape = Shape{3}})(x()); }},
      {"links::Bias", "shape",
       [](const Shape& shape) { return Bias({.shape = shape})(x()); }},
      {"links::Scale", "axis",
       [](int64_t n) { return Scale({.axis = n, .W_shape = Shape{3}})(x()); }},
      {"links::Scale", "W_shape",
       [](const Shape& shape) { return Scale({.W_shape = shape})(x()); }},
      {"links::Scale", "bias_shape",
       [](const Shape& shape) {
         return Scale({.W_shape = Shape{3},
                       .bias_term = true,
                       .bias_shape = shape})(x());
       }},
      {"links::Highway", "in_out_size",
       [](int64_t n) { return Highway(n)(x()); }},
      {"links::Maxout", "in_size",
       [](int64_t n) { return Maxout(n, 2, 2)(x()); }},
      {"links::Maxout", "out_size",
       [](int64_t n) { return Maxout(3, n, 2)(x()); }},
      {"links::Maxout", "pool_size",
       [](int64_t n) { return Maxout(3, 2, n)(x()); }},
      {"links::PReLU", "shape",
       [](const Shape& shape) { return PReLU(shape)(x()); }},
      {"links::Swish", "beta_shape",
       [](const Shape& shape) { return Swish(shape)(x()); }},
      {"links::EmbedID", "in_size",
       [](int64_t n) { return EmbedID(n, 2)(Variable(labels({2}))); }},
      {"links::EmbedID", "out_size",
       [](int64_t n) { return EmbedID(4, n)(Variable(labels({2}))); }},
      {"links::EmbedID", "ignore_label",
       [](int64_t n) {
         return EmbedID(4, 2, {.ignore_label = n})(Variable(labels({2})));
       }},
  };
  for (const ArgumentCases& more :
       {sizes<Linear>("Linear", "in_size", "out_size"),
        sizes<SimplifiedDropconnect>("SimplifiedDropconnect", "in_size",
                                     "out_size")}) {
    cases.insert(cases.end(), more.begin(), more.end());
  }
  return cases;
}

ArgumentCases normalizations() {
  return {
      {"links::BatchNormalization", "size",
       [](int64_t n) { return BatchNormalization(n)(x()); }},
      {"links::BatchNormalization", "size",
       [](const Shape& size) { return BatchNormalization(size)(x()); }},
      {"links::BatchNormalization", "axis",
       [](const Axes& axis) {
         return BatchNormalization(3, {.axis = axis})(x());
       }},
      {"links::BatchRenormalization", "size",
       [](int64_t n) { return BatchRenormalization(n)(x()); }},
      {"links::BatchRenormalization", "axis",
       [](const Axes& axis) {
         BatchRenormalizationOptions options;
         options.axis = axis;
         return BatchRenormalization(3, 1, 0, options)(x());
       }},
      {"links::DecorrelatedBatchNormalization", "size",
       [](int64_t n) {
         return DecorrelatedBatchNormalization(n, {.groups = 1})(x());
       }},
      {"links::DecorrelatedBatchNormalization", "groups",
       [](int64_t n) {
         return DecorrelatedBatchNormalization(4,
                                               {.groups = n})(variable({2, 4}));
       }},
      {"links::GroupNormalization", "groups",
       [](int64_t n) { return GroupNormalization(n, 3)(x()); }},
      {"links::GroupNormalization", "groups",
       [](int64_t n) { return GroupNormalization(n)(x()); }},
      {"links::GroupNormalization", "size",
       [](int64_t n) { return GroupNormalization(1, n)(x()); }},
      {"links::LayerNormalization", "size",
       [](int64_t n) { return LayerNormalization(n)(x()); }},
      {"links::LayerNormalization::forward", "n_batch_axes",
       [](int64_t n) {
         return LayerNormalization().forward(variable({2, 2, 3}),
                                             {.n_batch_axes = n});
       }},
      {"links::LayerNormalization::operator()", "n_batch_axes",
       [](int64_t n) {
         return LayerNormalization(3)(variable({2, 2, 3}), {.n_batch_axes = n});
       }},
      {"links::RmsNormalization", "size",
       [](int64_t n) { return RmsNormalization(n)(x()); }},
      {"links::RmsNormalization::forward", "n_batch_axes",
       [](int64_t n) {
         return RmsNormalization().forward(variable({2, 2, 3}),
                                           {.n_batch_axes = n});
       }},
      {"links::RmsNormalization::operator()", "n_batch_axes",
       [](int64_t n) {
         return RmsNormalization(3)(variable({2, 2, 3}), {.n_batch_axes = n});
       }},
      {"links::Linear::add_low_rank", "rank",
       [](int64_t n) {
         Linear layer(3, 2);
         layer.add_low_rank(n);
         return layer(variable({2, 3}));
       }},
      {"links::LowRankLayer::add_low_rank", "rank",
       [](int64_t n) {
         Linear layer(3, 2);
         LowRankLayer& any = layer;
         any.add_low_rank(n);
         any.merge_low_rank();
         return layer(variable({2, 3}));
       }},
      {"links::add_lora", "rank",
       [](int64_t n) {
         MultiHeadAttention link(4, 2);
         add_lora(link, {.rank = n});
         return link(variable({1, 2, 4}));
       }},
      {"links::MultiHeadAttention", "units",
       [](int64_t n) {
         return MultiHeadAttention(n, 2)(variable({1, 2, 4}));
       }},
      {"links::MultiHeadAttention", "heads",
       [](int64_t n) {
         return MultiHeadAttention(4, n)(variable({1, 2, 4}));
       }},
      {"links::MultiHeadAttention", "kv_heads",
       [](int64_t n) {
         return MultiHeadAttention(4, 2, {.kv_heads = n})(variable({1, 2, 4}));
       }},
      {"links::MultiHeadAttention", "head_size",
       [](int64_t n) {
         return MultiHeadAttention(4, 2, {.head_size = n})(variable({1, 2, 4}));
       }},
      {"links::MultiHeadAttention", "window",
       [](int64_t n) {
         return MultiHeadAttention(4, 2, {.window = n})(variable({1, 2, 4}));
       }},
      {"links::BasicTransformerBlock", "units",
       [](int64_t n) {
         return TransformerBlock(n, 2)(variable({1, 2, 4}));
       }},
      {"links::BasicTransformerBlock", "heads",
       [](int64_t n) {
         return TransformerBlock(4, n)(variable({1, 2, 4}));
       }},
      {"links::BasicTransformerBlock", "hidden",
       [](int64_t n) {
         return TransformerBlock(4, 2, {.hidden = n})(variable({1, 2, 4}));
       }},
      {"links::Llama", "vocabulary",
       [](int64_t n) {
         return llama_scores([=](LlamaOptions& o) { o.vocabulary = n; });
       }},
      {"links::Llama", "context",
       [](int64_t n) {
         return llama_scores([=](LlamaOptions& o) { o.context = n; });
       }},
      {"links::Llama", "units",
       [](int64_t n) {
         return llama_scores([=](LlamaOptions& o) { o.units = n; });
       }},
      {"links::Llama", "hidden",
       [](int64_t n) {
         return llama_scores([=](LlamaOptions& o) { o.hidden = n; });
       }},
      {"links::Llama", "heads",
       [](int64_t n) {
         return llama_scores([=](LlamaOptions& o) { o.heads = n; });
       }},
      {"links::Llama", "kv_heads",
       [](int64_t n) {
         return llama_scores([=](LlamaOptions& o) { o.kv_heads = n; });
       }},
      {"links::Llama", "head_size",
       [](int64_t n) {
         return llama_scores([=](LlamaOptions& o) { o.head_size = n; });
       }},
      {"links::Llama", "layers",
       [](int64_t n) {
         return llama_scores([=](LlamaOptions& o) { o.layers = n; });
       }},
      {"links::Llama", "window",
       [](int64_t n) {
         return llama_scores([=](LlamaOptions& o) { o.window = n; });
       }},
      {"links::Llama", "first_window_layer",
       [](int64_t n) {
         return llama_scores([=](LlamaOptions& o) {
           o.window = 2;
           o.first_window_layer = n;
         });
       }},
      {"links::Bert", "vocabulary",
       [](int64_t n) { return bert(&BertOptions::vocabulary, n); }},
      {"links::Bert", "context",
       [](int64_t n) { return bert(&BertOptions::context, n); }},
      {"links::Bert", "token_types",
       [](int64_t n) { return bert(&BertOptions::token_types, n); }},
      {"links::Bert", "units",
       [](int64_t n) { return bert(&BertOptions::units, n); }},
      {"links::Bert", "hidden",
       [](int64_t n) { return bert(&BertOptions::hidden, n); }},
      {"links::Bert", "heads",
       [](int64_t n) { return bert(&BertOptions::heads, n); }},
      {"links::Bert", "layers",
       [](int64_t n) { return bert(&BertOptions::layers, n); }},
      {"links::Bert", "classes",
       [](int64_t n) { return bert(&BertOptions::classes, n); }},
      {"links::Vit", "image_size",
       [](int64_t n) { return vit(&VitOptions::image_size, n); }},
      {"links::Vit", "patch_size",
       [](int64_t n) { return vit(&VitOptions::patch_size, n); }},
      {"links::Vit", "channels",
       [](int64_t n) { return vit(&VitOptions::channels, n); }},
      {"links::Vit", "units",
       [](int64_t n) { return vit(&VitOptions::units, n); }},
      {"links::Vit", "hidden",
       [](int64_t n) { return vit(&VitOptions::hidden, n); }},
      {"links::Vit", "heads",
       [](int64_t n) { return vit(&VitOptions::heads, n); }},
      {"links::Vit", "layers",
       [](int64_t n) { return vit(&VitOptions::layers, n); }},
      {"links::Vit", "classes",
       [](int64_t n) { return vit(&VitOptions::classes, n); }},
      {"links::Gpt2", "hidden",
       [](int64_t n) {
         return Gpt2({.vocabulary = 5,
                      .context = 4,
                      .units = 4,
                      .heads = 2,
                      .layers = 1,
                      .hidden = n})(as_variable(labels({1, 3})));
       }},
      {"links::LanguageModel::make_caches", "batch",
       [](int64_t n) {
         return llama([](LlamaOptions&) {}).make_caches(n)[0].keys();
       }},
      {"links::LanguageModel::make_caches", "capacity",
       [](int64_t n) {
         return llama([](LlamaOptions&) {}).make_caches(1, n)[0].keys();
       }},
      {"links::generate", "ids",
       [](int64_t n) {
         return text({static_cast<int32_t>(n)}, [](GenerateOptions&) {});
       }},
      {"links::generate", "max_tokens",
       [](int64_t n) {
         return text({1}, [=](GenerateOptions& o) { o.max_tokens = n; });
       }},
      {"links::generate", "top_k",
       [](int64_t n) {
         return text({1}, [=](GenerateOptions& o) {
           o.temperature = 1;
           o.top_k = n;
         });
       }},
      {"links::generate", "seed",
       [](int64_t n) {
         return text({1}, [=](GenerateOptions& o) {
           o.temperature = 1;
           o.seed = static_cast<uint64_t>(n);
         });
       }},
      {"links::generate", "stop_ids",
       [](int64_t n) {
         return text({1}, [=](GenerateOptions& o) {
           o.stop_ids = {static_cast<int32_t>(n)};
         });
       }},
      {"links::generate", "stop_sequences",
       [](int64_t n) {
         return text({1}, [=](GenerateOptions& o) {
           o.stop_sequences = {{static_cast<int32_t>(n)}};
         });
       }},
      {"links::generate", "beams",
       [](int64_t n) {
         return text({1}, [=](GenerateOptions& o) { o.beams = n; });
       }},
      {"links::save_pretrained", "shard_bytes",
       [](int64_t n) {
         const TempFolder folder;
         save_pretrained(llama([](LlamaOptions&) {}), folder.path(),
                         {.shard_bytes = n});
         return load_pretrained<Llama>(folder.path()).output.data();
       }},
      {"links::Gpt2", "vocabulary",
       [](int64_t n) { return gpt(&Gpt2Options::vocabulary, n); }},
      {"links::Gpt2", "context",
       [](int64_t n) { return gpt(&Gpt2Options::context, n); }},
      {"links::Gpt2", "units",
       [](int64_t n) { return gpt(&Gpt2Options::units, n); }},
      {"links::Gpt2", "heads",
       [](int64_t n) { return gpt(&Gpt2Options::heads, n); }},
      {"links::Gpt2", "layers",
       [](int64_t n) { return gpt(&Gpt2Options::layers, n); }},
      {"link_hooks::SpectralNormalization", "n_power_iteration",
       [](int64_t n) {
         Linear link(3, 2);
         // More iterations are allowed, and take long.
         if (n > 0) return Variable();
         link.add_hook(std::make_shared<link_hooks::SpectralNormalization>(
             link_hooks::SpectralNormalizationOptions{.n_power_iteration = n}));
         return link(x());
       }},
      {"link_hooks::SpectralNormalization", "axis",
       [](int64_t n) {
         Linear link(3, 2);
         link.add_hook(std::make_shared<link_hooks::SpectralNormalization>(
             link_hooks::SpectralNormalizationOptions{.axis = n}));
         return link(x());
       }},
  };
}

ArgumentCases losses() {
  const std::vector<int64_t> counts = {1, 2, 3};
  const auto words = [] { return Variable(labels({2})); };
  return {
      {"links::BinaryTree", "word",
       [=](int64_t n) {
         BinaryHierarchicalSoftmax link(3, {{0, n}, {1, 2}});
         return link(x(), words());
       }},
      {"links::BinaryHierarchicalSoftmax", "in_size",
       [=](int64_t n) {
         return BinaryHierarchicalSoftmax(n, {{0, 1}, 2})(x(), words());
       }},
      {"links::BinaryHierarchicalSoftmax::forward", "t",
       [](const Array& t) {
         BinaryHierarchicalSoftmax link(3, {{0, 1}, {2, 5}});
         return link(variable({3, 3}), Variable(t));
       }},
      {"links::BinaryHierarchicalSoftmax::create_huffman_tree", "word_counts",
       [=](int64_t n) {
         return BinaryHierarchicalSoftmax(
             3, BinaryHierarchicalSoftmax::create_huffman_tree(
                    {{0, n}, {1, n}, {2, n}}))(x(), words());
       }},
      {"links::create_huffman_tree", "word_counts",
       [=](int64_t n) {
         return BinaryHierarchicalSoftmax(
             3, create_huffman_tree({{n, 1}, {1, 2}, {0, 3}}))(x(), words());
       }},
      {"links::BlackOut", "in_size",
       [=](int64_t n) { return BlackOut(n, counts, 2)(x(), words()); }},
      {"links::BlackOut", "counts",
       [=](int64_t n) {
         return BlackOut(3, {1, n, n}, 2)(x(), words());
       }},
      {"links::BlackOut", "sample_size",
       [=](int64_t n) { return BlackOut(3, counts, n)(x(), words()); }},
      {"links::BlackOut::forward", "t",
       [=](const Array& t) {
         return BlackOut(3, counts, 2)(variable({3, 3}), Variable(t));
       }},
      {"links::NegativeSampling", "in_size",
       [=](int64_t n) { return NegativeSampling(n, counts, 2)(x(), words()); }},
      {"links::NegativeSampling", "counts",
       [=](int64_t n) {
         return NegativeSampling(3, {1, n, n}, 2)(x(), words());
       }},
      {"links::NegativeSampling", "sample_size",
       [=](int64_t n) { return NegativeSampling(3, counts, n)(x(), words()); }},
      {"links::NegativeSampling::forward", "t",
       [=](const Array& t) {
         NegativeSampling link(3, counts, 2);
         return link.forward(variable({3, 3}), Variable(t));
       }},
      {"links::NegativeSampling::operator()", "t",
       [=](const Array& t) {
         return NegativeSampling(3, counts, 2)(variable({3, 3}), Variable(t));
       }},
      {"links::CRF1d", "n_label",
       [=](int64_t n) {
         const std::vector<Variable> xs = {x()};
         const std::vector<Variable> ys = {words()};
         return CRF1d(n)(xs, ys);
       }},
      {"links::CRF1d::forward", "ys",
       [](const Array& at) {
         const std::vector<Variable> xs = {variable({3, 3})};
         const std::vector<Variable> ys = {Variable(at)};
         return CRF1d(3).forward(xs, ys);
       }},
      {"links::CRF1d::operator()", "ys",
       [](const Array& at) {
         const std::vector<Variable> xs = {variable({3, 3})};
         const std::vector<Variable> ys = {Variable(at)};
         return CRF1d(3)(xs, ys);
       }},
      {"links::Classifier", "label_key",
       [=](int64_t n) {
         Classifier model(Linear(3, 3), {.label_key = static_cast<int>(n)});
         return model(x(), words());
       }},
  };
}

ArgumentCases lists() {
  const auto three = [] {
    return Sequential(Linear(3, 3), functions::relu, Linear(3, 2));
  };
  return {
      {"ChainList::at", "index",
       [](int64_t n) {
         ChainList list(Linear(3, 2), Linear(2, 1));
         list.at<Linear>(n).count_params();
       }},
      {"ChainList::operator[]", "index",
       [](int64_t n) {
         ChainList list(Linear(3, 2), Linear(2, 1));
         list[n].count_params();
       }},
      {"ChainList::operator[]", "slice",
       [](const Slice& slice) {
         ChainList list(Linear(3, 2), Linear(2, 1));
         for (Link* link : list[slice]) link->count_params();
       }},
      {"Sequential::at", "index",
       [=](int64_t n) { three().at<Linear>(n).count_params(); }},
      {"Sequential::index", "start",
       [=](int64_t n) { three().index(Linear(3, 3), n); }},
      {"Sequential::index", "end",
       [=](int64_t n) {
         Sequential layers = three();
         layers.index(layers[0], 0, n);
       }},
      {"Sequential::insert", "index",
       [=](int64_t n) {
         Sequential layers = three();
         layers.insert(n, functions::relu);
         return layers(x());
       }},
      {"Sequential::layer", "index",
       [=](int64_t n) {
         const Sequential layers = three();
         layers.layer(n);
       }},
      {"Sequential::operator[]", "index",
       [=](int64_t n) { three()[n].count_params(); }},
      {"Sequential::operator[]", "slice",
       [=](const Slice& slice) {
         Sequential part = three()[slice];
         part.count_params();
       }},
      {"Sequential::pop", "index", [=](int64_t n) { three().pop(n); }},
      {"Sequential::repeat", "n",
       [=](int64_t n) {
         // 2^31 - 1 layers may be asked for, and then memory ends.
         if (n <= 0 || n > INT32_MAX) three().repeat(n).count_params();
       }},
      {"repeat", "n",
       [](int64_t n) {
         if (n <= 0) repeat(Linear(3, 3), n).count_params();
       }},
      {"Link::add_param", "shape",
       [](const Shape& shape) {
         ChainList link;
         return link.add_param("W", 0.0, shape).data();
       }},
      {"Param", "shape",
       [](const Shape& shape) {
         ChainList link;
         const Param W(&link, "W", 0.0, shape);
         return W.data();
       }},
      {"Link::to_gpu", "index",
       [](int64_t n) {
         ChainList link;
         link.to_gpu(static_cast<int>(n));
       }},
      {"Callable::to_gpu", "index",
       [](int64_t n) { Linear(3, 2).to_gpu(static_cast<int>(n)); }},
      {"initializers::generate_array", "shape",
       [](const Shape& shape) {
         return initializers::generate_array(initializers::Normal(), shape);
       }},
      {"initializers::get_fans", "shape",
       [](const Shape& shape) { initializers::get_fans(shape); }},
      {"links::ResNetLayers", "n_layers",
       [](int64_t n) {
         ResNetLayers model(std::nullopt, static_cast<int>(n));
         model.count_params();
       }},
      {"links::VGGLayers", "n_layers",
       [](int64_t n) {
         VGGLayers model(std::nullopt, static_cast<int>(n));
         model.count_params();
       }},
      {"links::vgg_prepare", "size",
       [](int64_t n) {
         return vgg_prepare(floats({3, 4, 4}), ImageSize{n, n});
       }},
      {"links::resnet_prepare", "size",
       [](int64_t n) {
         return resnet_prepare(floats({3, 4, 4}), ImageSize{n, 2});
       }},
      {"links::googlenet_prepare", "size",
       [](int64_t n) {
         return googlenet_prepare(floats({3, 4, 4}), ImageSize{2, n});
       }},
      {"links::oversample_images", "size",
       [](int64_t n) {
         return oversample_images(floats({1, 3, 4, 4}), ImageSize{n, 2});
       }},
  };
}

}  // namespace

ArgumentCases link_cases() {
  ArgumentCases cases = connections();
  for (const ArgumentCases& more :
       {recurrent(), normalizations(), losses(), lists()}) {
    cases.insert(cases.end(), more.begin(), more.end());
  }
  return cases;
}

}  // namespace catena::testing
