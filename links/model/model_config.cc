#include "catena/links/model/model_config.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <string_view>
#include <vector>

#include "catena/array/core/error.h"
#include "catena/array/core/quote.h"
#include "catena/links/model/json_fields.h"

namespace catena::links {
namespace {

using array::quote;
using nlohmann::ordered_json;

constexpr int64_t kMaxLayers = int64_t{1} << 16;

JsonFields open_config(const std::string& folder, const LoadLimits& limits) {
  return JsonFields::read(folder + "/config.json", limits);
}

// One of a kind of model's names in the field architectures.
struct Architecture {
  std::string name;  // empty if the field is absent
  bool is(std::string_view wanted) const { return name == wanted; }
};

Architecture read_architecture(JsonFields& config,
                               std::initializer_list<const char*> known) {
  const std::vector<std::string> names = config.texts("architectures");
  if (names.empty()) return {};
  const bool fits = names.size() == 1 && std::find(known.begin(), known.end(),
                                                   names[0]) != known.end();
  if (!fits) {
    std::string expected = "one of";
    for (const char* const name : known) {
      expected += str(" ", quote(name));
    }
    config.fail("architectures", expected);
  }
  return {names[0]};
}

// What says nothing about what a model computes.
void ignore_common(JsonFields& config, const ModelConfigOptions& how) {
  config.ignore({"_name_or_path",
                 "_num_labels",
                 "_attn_implementation",
                 "attn_implementation",
                 "_attn_implementation_autoset",
                 "bos_token_id",
                 "cls_token_id",
                 "dtype",
                 "eos_token_id",
                 "finetuning_task",
                 "gradient_checkpointing",
                 "keys_to_ignore_at_inference",
                 "label2id",
                 "mask_token_id",
                 "max_length",
                 "max_sequence_length",
                 "model_type",
                 "output_attentions",
                 "output_hidden_states",
                 "pad_token_id",
                 "problem_type",
                 "return_dict",
                 "sep_token_id",
                 "task_specific_params",
                 "torch_dtype",
                 "torchscript",
                 "transformers.js_config",
                 "transformers_version",
                 "unk_token_id",
                 "use_cache"});
  config.ignore(how.ignored_fields);
}

int64_t read_layers(JsonFields& config, const std::string& name,
                    const std::set<std::string>& names) {
  const int64_t layers = config.size(name);
  // Each has arrays.
  const int64_t most = std::min<int64_t>(kMaxLayers, std::ssize(names));
  if (layers > most) {
    config.fail(name, str("at most ", most,
                          most < kMaxLayers ? ", since the files have no more "
                                              "arrays"
                                            : ""));
  }
  return layers;
}

// Each divides the one before.
void check_heads(const JsonFields& config, const std::string& name,
                 int64_t heads, int64_t units, const std::string& of) {
  if (units % heads == 0) return;
  config.fail(name, str("a number that divides ", of, ", ", units));
}

// The one dropout of our models.
double read_dropout(JsonFields& config,
                    std::initializer_list<const char*> names,
                    double otherwise) {
  std::optional<double> common;
  for (const char* const name : names) {
    const double dropout = config.number(name, otherwise);
    if (!(dropout >= 0) || !(dropout < 1)) config.fail(name, "0 to below 1");
    if (common && dropout != *common) {
      config.fail(name, str(*common, ", the dropout elsewhere"));
    }
    common = dropout;
  }
  return *common;
}

double read_eps(JsonFields& config, const std::string& name, double otherwise) {
  const double eps = config.number(name, otherwise);
  if (!(eps >= 0)) config.fail(name, "a number of at least 0");
  return eps;
}

double read_deviation(JsonFields& config) {
  const double deviation = config.number("initializer_range", 0.02);
  if (!(deviation >= 0)) config.fail("initializer_range", "at least 0");
  return deviation;
}

FeedForward read_activation(JsonFields& config, const std::string& name) {
  const std::string text = config.optional_text(name).value_or("gelu");
  if (text == "gelu") return FeedForward::kGelu;
  if (text == "gelu_new" || text == "gelu_pytorch_tanh") {
    return FeedForward::kTanhGelu;
  }
  if (text == "relu") return FeedForward::kRelu;
  if (text == "silu" || text == "swish") return FeedForward::kSilu;
  config.fail(name, "gelu, gelu_new, gelu_pytorch_tanh, relu or silu");
}

const char* name_of(FeedForward activation) {
  switch (activation) {
    case FeedForward::kRelu:
      return "relu";
    case FeedForward::kGelu:
      return "gelu";
    case FeedForward::kTanhGelu:
      return "gelu_new";
    case FeedForward::kSilu:
      return "silu";
    default:
      raise<ValueError>(
          "save_pretrained: expected an activation that is not gated");
  }
}

// How many classes a classifier has.
int64_t read_classes(JsonFields& config) {
  const std::optional<int64_t> number = config.optional_size("num_labels");
  const std::optional<int64_t> named = config.count("id2label");
  if (number && named && *number != *named) {
    config.fail("num_labels", str(*named, ", as many as id2label has"));
  }
  return named.value_or(number.value_or(2));
}

bool has_end(const std::set<std::string>& names, std::string_view end) {
  return std::any_of(names.begin(), names.end(), [&](const std::string& name) {
    return name.ends_with(end);
  });
}

void check_model_type(JsonFields& config,
                      std::initializer_list<const char*> known) {
  const std::string type = config.optional_text("model_type").value_or("");
  if (std::find(known.begin(), known.end(), type) != known.end()) return;
  std::string expected;
  for (const char* const name : known) {
    if (!expected.empty()) expected += " or ";
    expected += quote(name);
  }
  config.fail("model_type", expected);
}

// rope_scaling of older files, or rope_parameters of newer ones.
void read_rotary(JsonFields& fields, LlamaOptions& options) {
  const std::string type =
      fields.optional_text("rope_type")
          .value_or(fields.optional_text("type").value_or("default"));
  fields.ignore({"type"});
  if (type == "llama3") {
    functions::RotaryScaling scaling = {
        .factor = fields.number("factor", 0),
        .low_frequency_factor = fields.number("low_freq_factor", 0),
        .high_frequency_factor = fields.number("high_freq_factor", 0),
        .original_context = fields.size("original_max_position_embeddings")};
    if (!(scaling.factor > 0)) fields.fail("factor", "a positive number");
    if (!(scaling.low_frequency_factor > 0)) {
      fields.fail("low_freq_factor", "a positive number");
    }
    if (!(scaling.high_frequency_factor > scaling.low_frequency_factor)) {
      fields.fail("high_freq_factor", "a number above low_freq_factor");
    }
    options.rotary_scaling = scaling;
  } else if (type != "default") {
    fields.fail(fields.has("rope_type") ? "rope_type" : "type",
                "default or llama3");
  }
}

void read_rotary_fields(JsonFields& config, LlamaOptions& options) {
  std::optional<double> base = config.optional_number("rope_theta");
  const bool has_both =
      config.has("rope_scaling") && config.has("rope_parameters");
  if (has_both) config.fail("rope_scaling", "no rope_parameters besides");
  for (const char* const name : {"rope_scaling", "rope_parameters"}) {
    std::optional<JsonFields> fields = config.object(name);
    if (!fields) continue;
    read_rotary(*fields, options);
    const std::optional<double> inner = fields->optional_number("rope_theta");
    if (base && inner && *base != *inner) {
      config.fail("rope_theta", str(*inner, ", as in ", name));
    }
    if (inner) base = inner;
    fields->expect("partial_rotary_factor", {1});
    fields->refuse_rest();
  }
  config.expect("partial_rotary_factor", {1});
  config.expect("rope_interleaved", {false});
  options.rotary_base = base.value_or(10000);
  if (!(options.rotary_base > 0)) {
    config.fail("rope_theta", "a positive number");
  }
}

// Qwen's layers with a window are those from some number on.
void read_layer_types(JsonFields& config, LlamaOptions& options) {
  const std::vector<std::string> types = config.texts("layer_types");
  if (types.empty()) return;
  if (std::ssize(types) != options.layers) {
    config.fail("layer_types", str(options.layers, " texts, one a layer"));
  }
  for (size_t i = 0; i < types.size(); ++i) {
    const bool has_window =
        options.window && static_cast<int64_t>(i) >= options.first_window_layer;
    const char* const expected =
        has_window ? "sliding_attention" : "full_attention";
    if (types[i] != expected) {
      config.fail("layer_types",
                  str(expected, " for layer ", i, ", as the other fields say"));
    }
  }
}

void read_qwen_window(JsonFields& config, LlamaOptions& options) {
  const bool is_used = config.flag("use_sliding_window", false);
  const std::optional<int64_t> window = config.optional_size("sliding_window");
  // It may be 0.
  const std::vector<int32_t> first = config.ids("max_window_layers");
  if (first.size() > 1) config.fail("max_window_layers", "one number");
  if (is_used) {
    if (!window) config.fail("sliding_window", "a window, which is to be used");
    options.window = window;
    options.first_window_layer = first.empty() ? 28 : first[0];
  }
  read_layer_types(config, options);
}

ordered_json start_of(const char* type, const char* architecture, Dtype dtype) {
  return {{"architectures", {architecture}},
          {"model_type", type},
          {"torch_dtype", to_string(dtype)}};
}

std::string text_of(const ordered_json& config) {
  return config.dump(2) + "\n";
}

// {"0": "LABEL_0", ...}, which says how many classes there are.
ordered_json labels_of(int64_t classes) {
  ordered_json labels = ordered_json::object();
  for (int64_t i = 0; i < classes; ++i) labels[str(i)] = str("LABEL_", i);
  return labels;
}

// The name of a family that has such a model.
struct Family {
  const char* type;
  const char* architecture;
};

Family family_of(const LlamaOptions& options) {
  const auto refuse = [](const char* what) {
    raise<ValueError>("save_pretrained: expected a model that is published: ",
                      what);
  };
  const bool has_window = options.window.has_value();
  if (options.query_key_norm) {
    if (options.hidden_bias || options.qkv_bias != options.out_bias) {
      refuse("with query_key_norm, of biases only qkv_bias with out_bias");
    }
    return {"qwen3", "Qwen3ForCausalLM"};
  }
  if (options.qkv_bias && !options.out_bias) {
    if (options.hidden_bias) refuse("with hidden_bias, out_bias as qkv_bias");
    if (options.head_size &&
        *options.head_size * options.heads != options.units) {
      refuse("with qkv_bias but not out_bias, no head_size");
    }
    return {"qwen2", "Qwen2ForCausalLM"};
  }
  if (options.qkv_bias != options.out_bias) {
    refuse("without qkv_bias, no out_bias");
  }
  if (!has_window) return {"llama", "LlamaForCausalLM"};
  if (options.qkv_bias || options.hidden_bias ||
      options.first_window_layer != 0) {
    refuse("with a window, biases or first_window_layer only as Qwen has them");
  }
  return {"mistral", "MistralForCausalLM"};
}

// What Bert's and Vit's blocks have in common.
template <class Options>
void read_encoder(JsonFields& config, const std::set<std::string>& names,
                  double default_dropout, Options& options) {
  options.units = config.size("hidden_size");
  options.hidden = config.size("intermediate_size");
  options.heads = config.size("num_attention_heads");
  check_heads(config, "num_attention_heads", options.heads, options.units,
              "hidden_size");
  options.layers = read_layers(config, "num_hidden_layers", names);
  options.activation = read_activation(config, "hidden_act");
  options.dropout = read_dropout(
      config, {"hidden_dropout_prob", "attention_probs_dropout_prob"},
      default_dropout);
  options.eps = read_eps(config, "layer_norm_eps", 1e-12);
  options.deviation = read_deviation(config);
}

template <class Options>
void write_encoder(const Options& options, ordered_json& config) {
  config["attention_probs_dropout_prob"] = options.dropout;
  config["hidden_act"] = name_of(options.activation);
  config["hidden_dropout_prob"] = options.dropout;
  config["hidden_size"] = options.units;
  if (options.classes > 0) config["id2label"] = labels_of(options.classes);
}

}  // namespace

std::string model_type(const std::string& folder, const LoadLimits& limits) {
  JsonFields config = open_config(folder, limits);
  const std::optional<std::string> type = config.optional_text("model_type");
  if (!type) config.fail("model_type", "the name of a family");
  return *type;
}

void read_config(const std::string& folder, const std::set<std::string>& names,
                 const ModelConfigOptions& how, Gpt2Options& options) {
  JsonFields config = open_config(folder, how.limits);
  check_model_type(config, {"gpt2"});
  read_architecture(config, {"GPT2LMHeadModel", "GPT2Model"});
  ignore_common(config, how);
  config.ignore({"id2label", "n_ctx", "reorder_and_upcast_attn",
                 "summary_activation", "summary_first_dropout",
                 "summary_proj_to_labels", "summary_type", "summary_use_proj"});
  options.vocabulary = config.size("vocab_size");
  options.context = config.size("n_positions");
  options.units = config.size("n_embd");
  options.heads = config.size("n_head");
  check_heads(config, "n_head", options.heads, options.units, "n_embd");
  options.layers = read_layers(config, "n_layer", names);
  options.hidden = config.optional_size("n_inner");
  options.dropout =
      read_dropout(config, {"resid_pdrop", "embd_pdrop", "attn_pdrop"}, 0.1);
  options.eps = read_eps(config, "layer_norm_epsilon", 1e-5);
  options.deviation = read_deviation(config);
  config.expect("activation_function", {"gelu_new", "gelu_pytorch_tanh"});
  config.expect("add_cross_attention", {false});
  config.expect("scale_attn_by_inverse_layer_idx", {false});
  config.expect("scale_attn_weights", {true});
  config.expect("tie_word_embeddings", {true});
  config.refuse_rest();
}

void read_config(const std::string& folder, const std::set<std::string>& names,
                 const ModelConfigOptions& how, LlamaOptions& options) {
  JsonFields config = open_config(folder, how.limits);
  check_model_type(config, {"llama", "mistral", "qwen2", "qwen3"});
  const std::string type = *config.optional_text("model_type");
  read_architecture(config, {"LlamaForCausalLM", "MistralForCausalLM",
                             "Qwen2ForCausalLM", "Qwen3ForCausalLM"});
  ignore_common(config, how);
  config.ignore({"id2label", "is_llama_config", "pretraining_tp"});
  options.vocabulary = config.size("vocab_size");
  options.context = config.size("max_position_embeddings");
  options.units = config.size("hidden_size");
  options.hidden = config.size("intermediate_size");
  options.heads = config.size("num_attention_heads");
  options.kv_heads = config.optional_size("num_key_value_heads");
  if (!options.kv_heads && type != "llama") {
    config.fail("num_key_value_heads", "a whole number");
  }
  check_heads(config, "num_key_value_heads",
              options.kv_heads.value_or(options.heads), options.heads,
              "num_attention_heads");
  options.head_size = config.optional_size("head_dim");
  if (!options.head_size && type == "qwen3") {
    config.fail("head_dim", "a whole number");
  }
  if (!options.head_size) {
    check_heads(config, "num_attention_heads", options.heads, options.units,
                "hidden_size");
  }
  if (options.head_size.value_or(options.units / options.heads) % 2 != 0) {
    config.fail(options.head_size ? "head_dim" : "num_attention_heads",
                "heads of an even size");
  }
  options.layers = read_layers(config, "num_hidden_layers", names);
  options.eps = read_eps(config, "rms_norm_eps", 1e-6);
  read_rotary_fields(config, options);
  options.tied = config.flag("tie_word_embeddings", false);
  options.dropout = read_dropout(config, {"attention_dropout"}, 0);
  options.deviation = read_deviation(config);
  config.expect("hidden_act", {"silu"});
  if (type == "mistral") {
    config.expect("attention_bias", {false});
    if (config.has("sliding_window")) {
      options.window = config.size("sliding_window");
    }
    config.ignore({"sliding_window"});
  } else if (type == "qwen2") {
    options.qkv_bias = true;
    config.expect("use_mrope", {false});
    read_qwen_window(config, options);
  } else {
    options.qkv_bias = options.out_bias = config.flag("attention_bias", false);
    if (type == "qwen3") {
      options.query_key_norm = true;
      read_qwen_window(config, options);
    } else {
      options.hidden_bias = config.flag("mlp_bias", false);
    }
  }
  config.refuse_rest();
}

void read_config(const std::string& folder, const std::set<std::string>& names,
                 const ModelConfigOptions& how, BertOptions& options) {
  JsonFields config = open_config(folder, how.limits);
  check_model_type(config, {"bert"});
  const Architecture architecture = read_architecture(
      config,
      {"BertModel", "BertForMaskedLM", "BertForPreTraining",
       "BertForNextSentencePrediction", "BertForSequenceClassification"});
  ignore_common(config, how);
  config.ignore({"chunk_size_feed_forward", "directionality", "pooler_fc_size",
                 "pooler_num_attention_heads", "pooler_num_fc_layers",
                 "pooler_size_per_head", "pooler_type"});
  options.vocabulary = config.size("vocab_size");
  options.context = config.size("max_position_embeddings");
  options.token_types = config.size("type_vocab_size");
  read_encoder(config, names, /*default_dropout=*/0.1, options);
  if (config.has("classifier_dropout")) {
    config.expect("classifier_dropout", {options.dropout});
  }
  config.ignore({"classifier_dropout"});
  config.expect("add_cross_attention", {false});
  config.expect("is_decoder", {false});
  config.expect("position_embedding_type", {"absolute"});
  config.expect("tie_word_embeddings", {true});
  // A model for one task often comes with the other parts.
  const bool is_pretraining = architecture.is("BertForPreTraining");
  const bool is_classifier = architecture.is("BertForSequenceClassification");
  options.masked_lm = is_pretraining || architecture.is("BertForMaskedLM") ||
                      has_end(names, "cls.predictions.bias");
  options.next_sentence = is_pretraining ||
                          architecture.is("BertForNextSentencePrediction") ||
                          has_end(names, "cls.seq_relationship.weight");
  const int64_t classes = read_classes(config);
  options.classes = is_classifier ? classes : 0;
  options.pooler = options.next_sentence || is_classifier ||
                   has_end(names, "pooler.dense.weight");
  config.refuse_rest();
}

void read_config(const std::string& folder, const std::set<std::string>& names,
                 const ModelConfigOptions& how, VitOptions& options) {
  JsonFields config = open_config(folder, how.limits);
  check_model_type(config, {"vit"});
  const Architecture architecture =
      read_architecture(config, {"ViTModel", "ViTForImageClassification"});
  ignore_common(config, how);
  config.ignore({"encoder_stride"});
  options.image_size = config.size("image_size");
  options.patch_size = config.size("patch_size");
  constexpr int64_t kMaxSide = 1 << 15;
  const int64_t side = options.image_size / options.patch_size;
  if (options.image_size % options.patch_size != 0 || side > kMaxSide) {
    config.fail("patch_size",
                str("a number that divides image_size, ", options.image_size,
                    ", into at most ", kMaxSide, " patches"));
  }
  options.channels = config.size("num_channels");
  read_encoder(config, names, /*default_dropout=*/0, options);
  options.qkv_bias = config.flag("qkv_bias", true);
  config.expect("pooler_act", {"tanh"});
  config.expect("pooler_output_size", {options.units});
  const int64_t classes = read_classes(config);
  options.classes = architecture.is("ViTForImageClassification") ? classes : 0;
  options.pooler = has_end(names, "pooler.dense.weight");
  config.refuse_rest();
}

GenerateOptions read_generation_config(const std::string& folder,
                                       const ModelConfigOptions& how) {
  JsonFields config =
      JsonFields::read(folder + "/generation_config.json", how.limits);
  config.ignore({"_from_model_config", "bos_token_id", "cache_implementation",
                 "max_length", "output_attentions", "output_hidden_states",
                 "output_scores", "pad_token_id", "return_dict_in_generate",
                 "transformers_version", "use_cache"});
  config.ignore(how.ignored_fields);
  GenerateOptions options;
  options.max_tokens =
      config.optional_size("max_new_tokens").value_or(options.max_tokens);
  const double temperature = config.number("temperature", 1);
  if (!(temperature >= 0)) config.fail("temperature", "at least 0");
  const std::vector<int32_t> top_k = config.ids("top_k");
  if (top_k.size() > 1) config.fail("top_k", "one number");
  const double top_p = config.number("top_p", 1);
  if (!(top_p > 0) || !(top_p <= 1)) config.fail("top_p", "above 0 to 1");
  // Without it, the others have no meaning.
  if (config.flag("do_sample", false)) {
    options.temperature = temperature;
    options.top_k = top_k.empty() ? 50 : top_k[0];
    options.top_p = top_p;
  }
  options.repetition_penalty = config.number("repetition_penalty", 1);
  if (!(options.repetition_penalty > 0)) {
    config.fail("repetition_penalty", "a positive number");
  }
  options.beams = config.optional_size("num_beams").value_or(1);
  options.length_penalty = config.number("length_penalty", 1);
  options.stop_ids = config.ids("eos_token_id");
  config.expect("early_stopping", {false, true});
  config.expect("diversity_penalty", {0});
  config.expect("encoder_repetition_penalty", {1});
  config.expect("epsilon_cutoff", {0});
  config.expect("eta_cutoff", {0});
  config.expect("min_length", {0});
  config.expect("min_p", {0});
  config.expect("no_repeat_ngram_size", {0});
  config.expect("num_beam_groups", {1});
  config.expect("num_return_sequences", {1});
  config.expect("renormalize_logits", {false});
  config.expect("typical_p", {1});
  config.refuse_rest();
  return options;
}

std::string generation_config_text(const GenerateOptions& options) {
  const auto check = [](bool is_known, std::string_view expected) {
    if (is_known) return;
    raise<ValueError>("save_pretrained: expected ", expected,
                      " in options for generation_config.json");
  };
  check(options.max_tokens >= 1, "max_tokens of at least 1");
  check(options.temperature >= 0 && std::isfinite(options.temperature),
        "a finite temperature of at least 0");
  check(options.top_k >= 0, "top_k of at least 0");
  check(options.top_p > 0 && options.top_p <= 1, "top_p in (0, 1]");
  check(options.repetition_penalty > 0 &&
            std::isfinite(options.repetition_penalty),
        "a positive repetition_penalty");
  check(options.beams >= 1, "beams of at least 1");
  check(std::isfinite(options.length_penalty), "a finite length_penalty");
  check(!options.seed, "no seed");
  check(options.stop_sequences.empty(), "no stop_sequences");
  check(options.stop_texts.empty(), "no stop_texts");
  check(!options.decode, "no decode");
  check(!options.on_token, "no on_token");
  ordered_json config;
  const bool draws = options.temperature > 0;
  config["do_sample"] = draws;
  if (options.stop_ids.size() == 1) {
    config["eos_token_id"] = options.stop_ids[0];
  } else if (!options.stop_ids.empty()) {
    config["eos_token_id"] = options.stop_ids;
  }
  config["length_penalty"] = options.length_penalty;
  config["max_new_tokens"] = options.max_tokens;
  config["num_beams"] = options.beams;
  config["repetition_penalty"] = options.repetition_penalty;
  if (draws) {
    config["temperature"] = options.temperature;
    config["top_k"] = options.top_k;
    config["top_p"] = options.top_p;
  }
  return text_of(config);
}

std::string config_text(const Gpt2Options& options, Dtype dtype) {
  ordered_json config = start_of("gpt2", "GPT2LMHeadModel", dtype);
  config["activation_function"] = "gelu_new";
  config["attn_pdrop"] = options.dropout;
  config["embd_pdrop"] = options.dropout;
  config["initializer_range"] = options.deviation;
  config["layer_norm_epsilon"] = options.eps;
  config["n_ctx"] = options.context;
  config["n_embd"] = options.units;
  config["n_head"] = options.heads;
  config["n_inner"] = nullptr;
  if (options.hidden) config["n_inner"] = *options.hidden;
  config["n_layer"] = options.layers;
  config["n_positions"] = options.context;
  config["resid_pdrop"] = options.dropout;
  config["tie_word_embeddings"] = true;
  config["vocab_size"] = options.vocabulary;
  return text_of(config);
}

std::string config_text(const LlamaOptions& options, Dtype dtype) {
  const Family family = family_of(options);
  const std::string_view type = family.type;
  ordered_json config = start_of(family.type, family.architecture, dtype);
  config["attention_dropout"] = options.dropout;
  if (type == "llama" || type == "qwen3") {
    config["attention_bias"] = options.qkv_bias;
  }
  if (type != "qwen2") {
    config["head_dim"] =
        options.head_size.value_or(options.units / options.heads);
  }
  config["hidden_act"] = "silu";
  config["hidden_size"] = options.units;
  config["initializer_range"] = options.deviation;
  config["intermediate_size"] = options.hidden;
  config["max_position_embeddings"] = options.context;
  if (type == "llama") config["mlp_bias"] = options.hidden_bias;
  config["num_attention_heads"] = options.heads;
  config["num_hidden_layers"] = options.layers;
  config["num_key_value_heads"] = options.kv_heads.value_or(options.heads);
  config["rms_norm_eps"] = options.eps;
  config["rope_scaling"] = nullptr;
  if (const auto& scaling = options.rotary_scaling) {
    config["rope_scaling"] = {
        {"factor", scaling->factor},
        {"high_freq_factor", scaling->high_frequency_factor},
        {"low_freq_factor", scaling->low_frequency_factor},
        {"original_max_position_embeddings", scaling->original_context},
        {"rope_type", "llama3"}};
  }
  config["rope_theta"] = options.rotary_base;
  if (type != "llama") {
    config["sliding_window"] = nullptr;
    if (options.window) config["sliding_window"] = *options.window;
  }
  if (type == "qwen2" || type == "qwen3") {
    config["use_sliding_window"] = options.window.has_value();
    config["max_window_layers"] = options.first_window_layer;
  }
  config["tie_word_embeddings"] = options.tied;
  config["vocab_size"] = options.vocabulary;
  return text_of(config);
}

std::string config_text(const BertOptions& options, Dtype dtype) {
  const char* const architecture =
      options.classes > 0 ? "BertForSequenceClassification"
      : options.masked_lm && options.next_sentence ? "BertForPreTraining"
      : options.masked_lm                          ? "BertForMaskedLM"
      : options.next_sentence ? "BertForNextSentencePrediction"
                              : "BertModel";
  ordered_json config = start_of("bert", architecture, dtype);
  write_encoder(options, config);
  config["initializer_range"] = options.deviation;
  config["intermediate_size"] = options.hidden;
  config["layer_norm_eps"] = options.eps;
  config["max_position_embeddings"] = options.context;
  config["num_attention_heads"] = options.heads;
  config["num_hidden_layers"] = options.layers;
  config["position_embedding_type"] = "absolute";
  config["type_vocab_size"] = options.token_types;
  config["vocab_size"] = options.vocabulary;
  return text_of(config);
}

std::string config_text(const VitOptions& options, Dtype dtype) {
  const char* const architecture =
      options.classes > 0 ? "ViTForImageClassification" : "ViTModel";
  ordered_json config = start_of("vit", architecture, dtype);
  write_encoder(options, config);
  config["image_size"] = options.image_size;
  config["initializer_range"] = options.deviation;
  config["intermediate_size"] = options.hidden;
  config["layer_norm_eps"] = options.eps;
  config["num_attention_heads"] = options.heads;
  config["num_channels"] = options.channels;
  config["num_hidden_layers"] = options.layers;
  config["patch_size"] = options.patch_size;
  config["qkv_bias"] = options.qkv_bias;
  return text_of(config);
}

}  // namespace catena::links
