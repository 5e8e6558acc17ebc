#include "catena/links/model/weight_names.h"

#include <utility>

#include "catena/array/core/error.h"

namespace catena::links {
namespace {

// Collects the arrays of a model.
class Names {
 public:
  // Further names begin with these.
  void set_place(std::string in_file, std::string in_model) {
    file_ = std::move(in_file);
    model_ = std::move(in_model);
  }

  // Returns the array, for what differs.
  NamedWeight& add(std::string_view name, Shape shape,
                   std::string_view parameter) {
    NamedWeight& weight = weights_.emplace_back();
    weight.name = str(file_, name);
    weight.shape = std::move(shape);
    weight.parameter = str(model_, parameter);
    return weight;
  }
  // A layer's weight (out, in) and, if it has one, bias: rows of a link's from
  // first_row on.
  void add_layer(std::string_view name, int64_t out, int64_t in,
                 std::string_view link, bool has_bias, int64_t first_row = 0) {
    add(str(name, ".weight"), {out, in}, str(link, "/W")).first_row = first_row;
    if (!has_bias) return;
    add(str(name, ".bias"), {out}, str(link, "/b")).first_row = first_row;
  }
  // GPT-2's, whose weight is (in, out).
  void add_transposed_layer(std::string_view name, int64_t out, int64_t in,
                            std::string_view link) {
    add(str(name, ".weight"), {in, out}, str(link, "/W")).is_transposed = true;
    add(str(name, ".bias"), {out}, str(link, "/b"));
  }
  // A layer normalization.
  void add_norm(std::string_view name, int64_t units, std::string_view link) {
    add(str(name, ".weight"), {units}, str(link, "/gamma"));
    add(str(name, ".bias"), {units}, str(link, "/beta"));
  }
  void add_copy(std::string name, Shape shape, std::string original) {
    NamedWeight& weight = weights_.emplace_back();
    weight.name = std::move(name);
    weight.shape = std::move(shape);
    weight.copy_of = std::move(original);
  }

  std::vector<NamedWeight> take() { return std::move(weights_); }

 private:
  std::string file_;
  std::string model_ = "/";
  std::vector<NamedWeight> weights_;
};

// A layer each for queries, keys and values of BERT and ViT, which are parts of
// one of ours.
void add_query_key_value(Names& names, std::string_view place, int64_t units,
                         bool has_bias) {
  int64_t first_row = 0;
  for (const char* const part : {"query", "key", "value"}) {
    names.add_layer(str(place, ".", part), units, units, "attention/qkv",
                    has_bias, first_row);
    first_row += units;
  }
}

}  // namespace

WeightNames weight_names(const Gpt2Options& options) {
  const int64_t units = options.units;
  const int64_t hidden = options.hidden.value_or(4 * units);
  const std::string prefix = "transformer.";
  Names names;
  names.set_place(prefix, "/");
  names.add("wte.weight", {options.vocabulary, units}, "tokens/W");
  names.add("wpe.weight", {options.context, units}, "positions/W");
  for (int64_t i = 0; i < options.layers; ++i) {
    names.set_place(str(prefix, "h.", i, "."), str("/blocks/", i, "/"));
    names.add_norm("ln_1", units, "norm1");
    names.add_transposed_layer("attn.c_attn", 3 * units, units,
                               "attention/qkv");
    names.add_transposed_layer("attn.c_proj", units, units, "attention/out");
    names.add_norm("ln_2", units, "norm2");
    names.add_transposed_layer("mlp.c_fc", hidden, units, "layer1");
    names.add_transposed_layer("mlp.c_proj", units, hidden, "layer2");
  }
  names.set_place(prefix, "/");
  names.add_norm("ln_f", units, "norm");
  names.add_copy("lm_head.weight", {options.vocabulary, units},
                 prefix + "wte.weight");
  return {.weights = names.take(),
          .prefix = prefix,
          .has_parts_behind = true,
          .ignored_ends = {".attn.bias", ".attn.masked_bias"}};
}

WeightNames weight_names(const LlamaOptions& options) {
  const int64_t units = options.units;
  const int64_t hidden = options.hidden;
  const int64_t size = options.head_size.value_or(units / options.heads);
  const int64_t heads = options.heads * size;
  const int64_t kv_heads = options.kv_heads.value_or(options.heads) * size;
  const std::string prefix = "model.";
  Names names;
  names.set_place(prefix, "/");
  names.add("embed_tokens.weight", {options.vocabulary, units}, "tokens/W");
  for (int64_t i = 0; i < options.layers; ++i) {
    names.set_place(str(prefix, "layers.", i, "."), str("/blocks/", i, "/"));
    names.add("input_layernorm.weight", {units}, "norm1/gamma");
    const bool bias = options.qkv_bias;
    names.add_layer("self_attn.q_proj", heads, units, "attention/qkv", bias);
    names.add_layer("self_attn.k_proj", kv_heads, units, "attention/qkv", bias,
                    heads);
    names.add_layer("self_attn.v_proj", kv_heads, units, "attention/qkv", bias,
                    heads + kv_heads);
    if (options.query_key_norm) {
      names.add("self_attn.q_norm.weight", {size},
                "attention/query_norm/gamma");
      names.add("self_attn.k_norm.weight", {size}, "attention/key_norm/gamma");
    }
    names.add_layer("self_attn.o_proj", units, heads, "attention/out",
                    options.out_bias);
    names.add("post_attention_layernorm.weight", {units}, "norm2/gamma");
    names.add_layer("mlp.gate_proj", hidden, units, "layer1",
                    options.hidden_bias);
    names.add_layer("mlp.up_proj", hidden, units, "layer1", options.hidden_bias,
                    hidden);
    names.add_layer("mlp.down_proj", units, hidden, "layer2",
                    options.hidden_bias);
  }
  names.set_place(prefix, "/");
  names.add("norm.weight", {units}, "norm/gamma");
  names.set_place("", "/");
  const Shape output = {options.vocabulary, units};
  if (options.tied) {
    names.add_copy("lm_head.weight", output, prefix + "embed_tokens.weight");
  } else {
    names.add("lm_head.weight", output, "output");
  }
  return {.weights = names.take(),
          .prefix = prefix,
          .has_parts_behind = true,
          .ignored_ends = {".rotary_emb.inv_freq"}};
}

WeightNames weight_names(const BertOptions& options) {
  const int64_t units = options.units;
  const int64_t hidden = options.hidden;
  const std::string prefix = "bert.";
  Names names;
  names.set_place(prefix + "embeddings.", "/");
  names.add("word_embeddings.weight", {options.vocabulary, units}, "tokens/W");
  names.add("position_embeddings.weight", {options.context, units},
            "positions/W");
  names.add("token_type_embeddings.weight", {options.token_types, units},
            "token_types/W");
  names.add_norm("LayerNorm", units, "norm");
  for (int64_t i = 0; i < options.layers; ++i) {
    names.set_place(str(prefix, "encoder.layer.", i, "."),
                    str("/blocks/", i, "/"));
    add_query_key_value(names, "attention.self", units, /*has_bias=*/true);
    names.add_layer("attention.output.dense", units, units, "attention/out",
                    true);
    names.add_norm("attention.output.LayerNorm", units, "norm1");
    names.add_layer("intermediate.dense", hidden, units, "layer1", true);
    names.add_layer("output.dense", units, hidden, "layer2", true);
    names.add_norm("output.LayerNorm", units, "norm2");
  }
  names.set_place(prefix, "/");
  if (options.pooler) {
    names.add_layer("pooler.dense", units, units, "pooler", true);
  }
  names.set_place("", "/");
  if (options.masked_lm) {
    const std::string place = "cls.predictions.";
    names.add_layer(place + "transform.dense", units, units, "masked_lm", true);
    names.add_norm(place + "transform.LayerNorm", units, "masked_lm_norm");
    names.add(place + "bias", {options.vocabulary}, "masked_lm_bias");
    names.add_copy(place + "decoder.weight", {options.vocabulary, units},
                   prefix + "embeddings.word_embeddings.weight");
    names.add_copy(place + "decoder.bias", {options.vocabulary},
                   place + "bias");
  }
  if (options.next_sentence) {
    names.add_layer("cls.seq_relationship", 2, units, "next_sentence", true);
  }
  if (options.classes > 0) {
    names.add_layer("classifier", options.classes, units, "classifier", true);
  }
  return {
      .weights = names.take(),
      .prefix = prefix,
      .has_parts_behind =
          options.masked_lm || options.next_sentence || options.classes > 0,
      .ignored_ends = {"embeddings.position_ids", "embeddings.token_type_ids"}};
}

WeightNames weight_names(const VitOptions& options) {
  const int64_t units = options.units;
  const int64_t hidden = options.hidden;
  const int64_t side = options.image_size / options.patch_size;
  const std::string prefix = "vit.";
  Names names;
  names.set_place(prefix + "embeddings.", "/");
  names.add("cls_token", {1, 1, units}, "class_token");
  names.add("position_embeddings", {1, 1 + side * side, units}, "positions");
  names.add("patch_embeddings.projection.weight",
            {units, options.channels, options.patch_size, options.patch_size},
            "patches/W");
  names.add("patch_embeddings.projection.bias", {units}, "patches/b");
  for (int64_t i = 0; i < options.layers; ++i) {
    names.set_place(str(prefix, "encoder.layer.", i, "."),
                    str("/blocks/", i, "/"));
    names.add_norm("layernorm_before", units, "norm1");
    add_query_key_value(names, "attention.attention", units, options.qkv_bias);
    names.add_layer("attention.output.dense", units, units, "attention/out",
                    true);
    names.add_norm("layernorm_after", units, "norm2");
    names.add_layer("intermediate.dense", hidden, units, "layer1", true);
    names.add_layer("output.dense", units, hidden, "layer2", true);
  }
  names.set_place(prefix, "/");
  names.add_norm("layernorm", units, "norm");
  if (options.pooler) {
    names.add_layer("pooler.dense", units, units, "pooler", true);
  }
  names.set_place("", "/");
  if (options.classes > 0) {
    names.add_layer("classifier", options.classes, units, "classifier", true);
  }
  return {.weights = names.take(),
          .prefix = prefix,
          .has_parts_behind = options.classes > 0,
          .ignored_ends = {}};
}

}  // namespace catena::links
