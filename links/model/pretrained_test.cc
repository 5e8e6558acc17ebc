#include "catena/links/model/pretrained.h"

#include <gmock/gmock.h>

#include <cmath>
#include <filesystem>
#include <fstream>
#include <functional>
#include <nlohmann/json.hpp>

#include "catena/array/core/error.h"
#include "catena/array/core/memory_pool.h"
#include "catena/array/creation.h"
#include "catena/array/index.h"
#include "catena/array/io/npz.h"
#include "catena/autograd/config.h"
#include "catena/links/model/weight_names.h"
#include "catena/serializers/npz.h"
#include "catena/serializers/safetensors.h"
#include "catena/tests/support/runfiles.h"
#include "catena/tests/testing/array_matchers.h"
#include "catena/tests/testing/device_test.h"
#include "catena/tests/testing/error_of.h"
#include "catena/tests/testing/temp_folder.h"

namespace catena::links {
namespace {

using ::catena::testing::error_of;
using ::catena::testing::read_file;
using ::catena::testing::runfile;
using ::catena::testing::TempFolder;
using ::catena::testing::write_file;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

constexpr testing::Tolerance kTolerance = {.rtol = 2e-5, .atol = 2e-5};

// A folder below tests/golden/links/models.
std::string golden_folder(const std::string& name) {
  const std::string config =
      runfile("tests/golden/links/models/" + name + "/config.json");
  return std::filesystem::path(config).parent_path().string();
}

// On the current device.
std::map<std::string, Array> expected_of(const std::string& name) {
  const array::NpzReader file(golden_folder(name) + "/expected.npz");
  std::map<std::string, Array> result;
  for (const std::string& key : file.keys()) {
    result.emplace(key, file.read_array(key).to_device(current_device()));
  }
  return result;
}

// A copy of such a folder, whose files may be changed.
class ModelFolder {
 public:
  explicit ModelFolder(const std::string& name) {
    for (const auto& entry :
         std::filesystem::directory_iterator(golden_folder(name))) {
      write_file(file(entry.path().filename().string()),
                 read_file(entry.path().string()));
    }
  }

  const std::string& path() const { return folder_.path(); }
  std::string file(const std::string& name) const { return folder_.file(name); }

  // Changes a JSON file.
  void change(const std::string& name,
              const std::function<void(nlohmann::ordered_json&)>& edit) const {
    auto json = nlohmann::ordered_json::parse(read_file(file(name)));
    edit(json);
    write_file(file(name), json.dump());
  }
  void set(const std::string& field,
           const nlohmann::ordered_json& value) const {
    change("config.json",
           [&](nlohmann::ordered_json& config) { config[field] = value; });
  }

 private:
  TempFolder folder_;
};

template <class Model>
std::string load_error(const std::string& folder) {
  return error_of<IoError>([&] { load_pretrained<Model>(folder); });
}

// The gradients that the reference has, of parts of our parameters.
template <class Model>
void expect_gradients(const Model& model,
                      const std::map<std::string, Array>& expected) {
  std::map<std::string, Parameter> parameters;
  for (const auto& [name, parameter] : model.namedparams()) {
    parameters.emplace(name, parameter);
  }
  std::map<std::string, NamedWeight> weights;
  const WeightNames names = weight_names(model.options());
  for (const NamedWeight& weight : names.weights) {
    weights.emplace(weight.name, weight);
    if (weight.name.starts_with("transformer.")) {
      weights.emplace(weight.name.substr(names.prefix.size()), weight);
    }
  }
  for (const auto& [key, gradient] : expected) {
    if (!key.starts_with("grad/")) continue;
    const NamedWeight& weight = weights.at(key.substr(5));
    Array ours = parameters.at(weight.parameter).grad();
    if (weight.is_transposed) {
      ours = ours.transpose();
    } else {
      const int64_t begin = weight.first_row;
      ours = ours[{Slice(begin, begin + weight.shape[0])}];
    }
    EXPECT_THAT(ours, testing::IsClose(gradient, {.rtol = 2e-5, .atol = 1e-4}))
        << key;
  }
}

class PretrainedTest : public ::catena::testing::DeviceTest {
 protected:
  PretrainedTest() : test_mode_(using_config(&Config::train, false)) {}

 private:
  ConfigScope<bool> test_mode_;
};
INSTANTIATE_TEST_SUITE_P(Devices, PretrainedTest,
                         ::catena::testing::every_device());

template <class Model>
void expect_language_model(const std::string& name) {
  SCOPED_TRACE(name);
  const auto expected = expected_of(name);
  Model model = load_pretrained<Model>(golden_folder(name));
  const Variable ids = as_variable(expected.at("in/ids"));
  const Variable scores = model(ids);
  EXPECT_THAT(scores.data(),
              testing::IsClose(expected.at("out/scores"), kTolerance));
  scores.set_grad(expected.at("gout"));
  scores.backward();
  expect_gradients(model, expected);
  const auto same = load_pretrained(golden_folder(name));
  EXPECT_THAT((*same)(ids).data(), testing::IsArray(scores.data()));
  // Continued from caches, token by token.
  const auto no_graph = no_backprop_mode();
  auto caches = model.make_caches(2, 7);
  for (int64_t i = 0; i < 7; ++i) {
    const Slice step(i, i + 1);
    EXPECT_THAT(model(as_variable(ids.data()[{Slice(), step}]), caches).data(),
                testing::IsClose(expected.at("out/scores")[{Slice(), step}],
                                 kTolerance));
  }
}

TEST_P(PretrainedTest, LanguageModelsComputeWhatTheReferenceComputes) {
  expect_language_model<Gpt2>("gpt2");
  expect_language_model<Gpt2>("gpt2_saved");
  for (const char* const name :
       {"llama", "smollm2", "llama3", "mistral", "qwen2", "qwen3"}) {
    expect_language_model<Llama>(name);
  }
}

void expect_bert(const std::string& name) {
  SCOPED_TRACE(name);
  const auto expected = expected_of(name);
  Bert model = load_pretrained<Bert>(golden_folder(name));
  const Array lengths = expected.at("in/lengths");
  const Variable features =
      model(as_variable(expected.at("in/ids")),
            {.token_types = expected.at("in/token_types"), .lengths = lengths});
  const auto check = [&](const std::string& part, const Variable& y) {
    EXPECT_THAT(y.data(),
                testing::IsClose(expected.at("out/" + part), kTolerance))
        << part;
  };
  check("features", features);
  check("pooled", model.pooled(features));
  const bool is_classifier = model.options().classes > 0;
  EXPECT_EQ(is_classifier, expected.contains("out/class_scores"));
  if (is_classifier) {
    check("class_scores", model.class_scores(features));
    EXPECT_THAT(error_of<ValueError>([&] { model.masked_lm_scores(features); }),
                HasSubstr("expected a model with masked_lm"));
  } else {
    check("masked_lm_scores", model.masked_lm_scores(features));
    check("next_sentence_scores", model.next_sentence_scores(features));
  }
  features.set_grad(expected.at("gout"));
  features.backward();
  expect_gradients(model, expected);
}

TEST_P(PretrainedTest, BertComputesWhatTheReferenceComputes) {
  expect_bert("bert");
  expect_bert("bert_classifier");
}

TEST_P(PretrainedTest, VitComputesWhatTheReferenceComputes) {
  const auto expected = expected_of("vit");
  Vit model = load_pretrained<Vit>(golden_folder("vit"));
  const Variable pixels =
      as_variable(expected.at("in/pixels").astype(Dtype::kFloat32));
  const Variable scores = model(pixels);
  EXPECT_THAT(scores.data(),
              testing::IsClose(expected.at("out/scores"), kTolerance));
  scores.set_grad(expected.at("gout"));
  scores.backward();
  expect_gradients(model, expected);

  const auto expected_bare = expected_of("vit_model");
  Vit bare = load_pretrained<Vit>(golden_folder("vit_model"));
  const Variable features = bare.features(
      as_variable(expected_bare.at("in/pixels").astype(Dtype::kFloat32)));
  EXPECT_THAT(features.data(),
              testing::IsClose(expected_bare.at("out/features"), kTolerance));
  EXPECT_THAT(bare.pooled(features).data(),
              testing::IsClose(expected_bare.at("out/pooled"), kTolerance));
  EXPECT_THAT(error_of<ValueError>([&] { bare(pixels); }),
              HasSubstr("expected a model with classes"));
}

// Each weight's place is another, and none is left out.
template <class Model>
void expect_all_named(const std::string& name) {
  SCOPED_TRACE(name);
  const Model model(read_options<Model>(golden_folder(name)));
  int64_t count = 0;
  for (const NamedWeight& weight : weight_names(model.options()).weights) {
    int64_t size = 1;
    for (const int64_t extent : weight.shape) size *= extent;
    if (weight.copy_of.empty()) count += size;
  }
  EXPECT_EQ(count, model.count_params());
}

TEST(PretrainedNamesTest, EveryParameterHasAName) {
  expect_all_named<Gpt2>("gpt2_saved");
  for (const char* const name :
       {"llama", "smollm2", "llama3", "qwen2", "qwen3"}) {
    expect_all_named<Llama>(name);
  }
  expect_all_named<Bert>("bert");
  expect_all_named<Bert>("bert_classifier");
  expect_all_named<Vit>("vit");
  expect_all_named<Vit>("vit_model");
}

template <class Model>
void expect_same_parameters(const Model& a, const Model& b) {
  const auto expected = a.namedparams();
  const auto actual = b.namedparams();
  ASSERT_EQ(expected.size(), actual.size());
  for (size_t i = 0; i < expected.size(); ++i) {
    EXPECT_EQ(expected[i].first, actual[i].first);
    EXPECT_THAT(actual[i].second.data(),
                testing::IsArray(expected[i].second.data()))
        << expected[i].first;
  }
}

std::vector<std::string> files_of(const std::string& folder) {
  std::vector<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    names.push_back(entry.path().filename().string());
  }
  std::sort(names.begin(), names.end());
  return names;
}

// Saves what was loaded, loads that, and saves it: the same bytes.
template <class Model>
void expect_round_trip(const std::string& name,
                       const SavePretrainedOptions& options = {}) {
  SCOPED_TRACE(name);
  const Model model = load_pretrained<Model>(golden_folder(name));
  const TempFolder first;
  save_pretrained(model, first.path(), options);
  Model again = load_pretrained<Model>(first.path());
  expect_same_parameters(model, again);
  const TempFolder second;
  save_pretrained(again, second.path(), options);
  ASSERT_EQ(files_of(first.path()), files_of(second.path()));
  for (const std::string& file : files_of(first.path())) {
    EXPECT_EQ(read_file(first.file(file)), read_file(second.file(file)))
        << file;
  }
  Model npz(model.options());
  serializers::save_npz(first.file("model.npz"), again);
  serializers::load_npz(first.file("model.npz"), npz);
  expect_same_parameters(model, npz);
}

TEST(PretrainedSaveTest, SaveLoadSaveGivesTheSameFiles) {
  for (const char* const name : {"gpt2", "gpt2_saved"}) {
    expect_round_trip<Gpt2>(name);
  }
  for (const char* const name :
       {"llama", "smollm2", "llama3", "mistral", "qwen2", "qwen3"}) {
    expect_round_trip<Llama>(name);
  }
  for (const char* const name : {"bert", "bert_classifier"}) {
    expect_round_trip<Bert>(name);
  }
  for (const char* const name : {"vit", "vit_model"}) {
    expect_round_trip<Vit>(name);
  }
}

TEST(PretrainedSaveTest, LargeModelsAreSavedInShards) {
  expect_round_trip<Llama>("llama", {.shard_bytes = 4000});
  expect_round_trip<Gpt2>("gpt2", {.shard_bytes = 1});
  const Llama model = load_pretrained<Llama>(golden_folder("llama"));
  const TempFolder folder;
  save_pretrained(model, folder.path(), {.shard_bytes = 8000});
  const std::vector<std::string> files = files_of(folder.path());
  EXPECT_THAT(files, ::testing::Contains("model.safetensors.index.json"));
  EXPECT_THAT(files, ::testing::Contains("model-00001-of-00003.safetensors"));
  const auto index = nlohmann::json::parse(
      read_file(folder.file("model.safetensors.index.json")));
  EXPECT_EQ(index["metadata"]["total_size"], 4 * model.count_params());
  EXPECT_EQ(index["weight_map"]["lm_head.weight"],
            "model-00003-of-00003.safetensors");
  EXPECT_THAT(error_of<IoError>([&] { save_pretrained(model, folder.path()); }),
              HasSubstr("expected a folder without"));
  EXPECT_THAT(error_of<ValueError>([&] {
                save_pretrained(model, folder.path(), {.shard_bytes = 0});
              }),
              HasSubstr("expected positive shard_bytes, got 0"));
}

// Names, shapes and the mark that other programs look for.
TEST(PretrainedSaveTest, FilesAreAsOtherProgramsWriteThem) {
  const TempFolder folder;
  save_pretrained(load_pretrained<Gpt2>(golden_folder("gpt2")), folder.path());
  const std::string bytes = read_file(folder.file("model.safetensors"));
  EXPECT_THAT(bytes.substr(0, 2000), HasSubstr("\"format\":\"pt\""));
  const serializers::SafetensorsDeserializer file(
      folder.file("model.safetensors"));
  EXPECT_EQ(file.kind("transformer.h.0.attn.c_attn.weight").shape,
            Shape({12, 36}));
  const serializers::SafetensorsDeserializer original(golden_folder("gpt2") +
                                                      "/model.safetensors");
  EXPECT_THAT(file.map("transformer.h.1.mlp.c_fc.weight"),
              testing::IsArray(original.map("h.1.mlp.c_fc.weight")));
  save_pretrained(load_pretrained<Vit>(golden_folder("vit_model")),
                  folder.path());
  EXPECT_THAT(
      serializers::SafetensorsDeserializer(folder.file("model.safetensors"))
          .keys(),
      ::testing::Contains("embeddings.cls_token"));
}

TEST(PretrainedSaveTest, RefusesModelsOfNoPublishedKind) {
  LlamaOptions options = read_options<Llama>(golden_folder("llama"));
  const TempFolder folder;
  const auto message = [&] {
    return error_of<ValueError>(
        [&] { save_pretrained(Llama(options), folder.path()); });
  };
  options.out_bias = true;
  EXPECT_THAT(message(), HasSubstr("without qkv_bias, no out_bias"));
  options.qkv_bias = true;
  options.window = 3;
  EXPECT_THAT(message(), HasSubstr("only as Qwen has them"));
  options.query_key_norm = true;
  options.hidden_bias = true;
  EXPECT_THAT(message(), HasSubstr("with query_key_norm, of biases only"));
  EXPECT_THAT(files_of(folder.path()), ::testing::IsEmpty());
}

TEST(PretrainedDtypeTest, ParametersHaveAnyFloatingDtype) {
  const std::string folder = golden_folder("mistral");
  const Llama exact =
      load_pretrained<Llama>(folder, {.dtype = Dtype::kFloat64});
  for (const Dtype dtype :
       {Dtype::kFloat16, Dtype::kBFloat16, Dtype::kFloat32}) {
    Llama model = load_pretrained<Llama>(folder, {.dtype = dtype});
    EXPECT_EQ(model.norm->gamma.dtype(), dtype);
    EXPECT_THAT(model.tokens->W.data(),
                testing::IsArray(exact.tokens->W.data().astype(dtype)));
    const Variable ids = as_variable(array::arange(5).reshape(1, 5));
    const auto no_graph = no_backprop_mode();
    EXPECT_EQ(model(ids).dtype(), dtype);
  }
  EXPECT_THAT(error_of<ValueError>([&] {
                load_pretrained<Llama>(folder, {.dtype = Dtype::kInt32});
              }),
              HasSubstr("expected a floating dtype, got int32"));
}

TEST(PretrainedIntoTest, FillsAModelThatExists) {
  const std::string folder = golden_folder("qwen3");
  const Llama expected = load_pretrained<Llama>(folder);
  Llama model(expected.options());
  const int64_t version = model.tokens->W.version();
  load_pretrained(folder, model);
  expect_same_parameters(expected, model);
  EXPECT_GT(model.tokens->W.version(), version);
}

TEST(PretrainedIntoTest, ANewHeadStaysAsItWas) {
  const std::string folder = golden_folder("bert");
  BertOptions options = read_options<Bert>(folder);
  options.classes = 4;
  options.masked_lm = options.next_sentence = false;
  Bert model(options);
  const Array head = (*model.classifier)->W.data().copy();
  EXPECT_THAT(error_of<IoError>([&] { load_pretrained(folder, model); }),
              AllOf(HasSubstr("missing: 'classifier.weight', "
                              "'classifier.bias'"),
                    HasSubstr("unexpected: 'cls.predictions.bias'")));
  load_pretrained(folder, model, {.strict = false});
  EXPECT_THAT((*model.classifier)->W.data(), testing::IsArray(head));
  const Bert whole = load_pretrained<Bert>(folder);
  EXPECT_THAT(model.tokens->W.data(), testing::IsArray(whole.tokens->W.data()));
  // A head of another size is named, unless it is not to be read.
  const std::string classifier = golden_folder("bert_classifier");
  options.layers = 1;
  Bert other(options);
  const Array before = other.tokens->W.data().copy();
  EXPECT_THAT(error_of<IoError>([&] {
                load_pretrained(classifier, other, {.strict = false});
              }),
              HasSubstr("mismatched: 'classifier.weight' (expected floating "
                        "numbers of shape (4, 12), got float16 of shape (3, "
                        "12))"));
  EXPECT_THAT(other.tokens->W.data(), testing::IsArray(before));
  load_pretrained(classifier, other,
                  {.ignore_names = {"classifier.weight", "classifier.bias"}});
}

TEST(PretrainedErrorTest, ListsAllNamesThatDoNotFit) {
  const ModelFolder folder("smollm2");
  const std::string file = folder.file("model.safetensors");
  std::vector<std::pair<std::string, Array>> arrays;
  {
    const serializers::SafetensorsDeserializer original(file);
    for (const std::string& key : original.keys()) {
      arrays.emplace_back(key, original.map(key).copy());
    }
  }
  serializers::SafetensorsSerializer changed(file);
  for (auto& [key, array] : arrays) {
    if (key == "model.norm.weight") continue;
    if (key == "model.embed_tokens.weight") array = array.transpose();
    if (key == "model.layers.0.mlp.up_proj.weight") {
      array = array.astype(Dtype::kInt32);
    }
    changed.write(key, array);
  }
  changed.write("model.extra", array::ones({2}, Dtype::kFloat32));
  changed.commit();
  Llama model(read_options<Llama>(golden_folder("smollm2")));
  const Array before = model.tokens->W.data().copy();
  const std::string message =
      error_of<IoError>([&] { load_pretrained(folder.path(), model); });
  EXPECT_THAT(message, HasSubstr("missing: 'model.norm.weight'"));
  EXPECT_THAT(message, HasSubstr("'model.embed_tokens.weight' (expected "
                                 "floating numbers of shape (13, 18), got "
                                 "float32 of shape (18, 13))"));
  EXPECT_THAT(message, HasSubstr("'model.layers.0.mlp.up_proj.weight' "
                                 "(expected floating numbers of shape (20, "
                                 "18), got int32"));
  EXPECT_THAT(message, HasSubstr("unexpected: 'model.extra'"));
  EXPECT_THAT(model.tokens->W.data(), testing::IsArray(before));
}

TEST(PretrainedErrorTest, WeightsThatAreSharedMustBeEqual) {
  const ModelFolder folder("gpt2_saved");
  const std::string shard = folder.file("model-00002-of-00002.safetensors");
  std::string bytes = read_file(shard);
  bytes.back() = static_cast<char>(bytes.back() ^ 1);  // lm_head.weight's
  write_file(shard, bytes);
  EXPECT_THAT(load_error<Gpt2>(folder.path()),
              HasSubstr("expected 'lm_head.weight' to equal "
                        "'transformer.wte.weight'"));
}

TEST(PretrainedErrorTest, NamesWhatAConfigSaysWrong) {
  const auto message = [](const std::string& name, const std::string& field,
                          const nlohmann::ordered_json& value) {
    const ModelFolder folder(name);
    folder.set(field, value);
    return error_of<IoError>([&] { load_pretrained(folder.path()); });
  };
  EXPECT_THAT(message("llama", "moe", 8),
              AllOf(HasSubstr("config.json'"),
                    HasSubstr("only fields that are known, got 'moe'")));
  EXPECT_THAT(message("llama", "model_type", "mamba"),
              HasSubstr("expected the model_type gpt2, llama, mistral, qwen2 "
                        "or qwen3 of a language model, got 'mamba'"));
  EXPECT_THAT(message("llama", "model_type", nullptr),
              HasSubstr("model_type: expected the name of a family"));
  EXPECT_THAT(message("llama", "architectures", {"LlamaForTokens"}),
              HasSubstr("architectures: expected one of 'LlamaForCausalLM'"));
  EXPECT_THAT(message("llama", "hidden_act", "gelu"),
              HasSubstr("hidden_act: expected \"silu\", got '\"gelu\"'"));
  EXPECT_THAT(message("llama", "hidden_size", 0),
              HasSubstr("hidden_size: expected a whole number from 1"));
  EXPECT_THAT(message("llama", "hidden_size", 1.5),
              HasSubstr("hidden_size: expected a whole number from 1"));
  EXPECT_THAT(message("llama", "hidden_size", 18),
              HasSubstr("num_attention_heads: expected a number that divides "
                        "hidden_size, 18, got '4'"));
  EXPECT_THAT(message("llama", "num_key_value_heads", 3),
              HasSubstr("num_key_value_heads: expected a number that divides "
                        "num_attention_heads, 4, got '3'"));
  EXPECT_THAT(message("llama", "head_dim", 3),
              HasSubstr("head_dim: expected heads of an even size"));
  EXPECT_THAT(message("llama", "num_hidden_layers", 60000),
              HasSubstr("since the files have no more arrays"));
  EXPECT_THAT(
      message("llama", "rope_scaling", {{"type", "yarn"}, {"factor", 2.0}}),
      HasSubstr("rope_scaling: type: expected default or llama3, got "
                "'\"yarn\"'"));
  EXPECT_THAT(
      message("llama", "rope_scaling", {{"type", "default"}, {"turns", 2}}),
      HasSubstr("rope_scaling: expected only fields that are known, got "
                "'turns'"));
  EXPECT_THAT(message("llama3", "rope_scaling",
                      {{"rope_type", "llama3"},
                       {"factor", 8.0},
                       {"low_freq_factor", 4.0},
                       {"high_freq_factor", 4.0},
                       {"original_max_position_embeddings", 16}}),
              HasSubstr("high_freq_factor: expected a number above"));
  EXPECT_THAT(message("llama", "rope_parameters",
                      {{"rope_theta", 5.0}, {"rope_type", "default"}}),
              HasSubstr("rope_theta: expected 5"));
  EXPECT_THAT(message("llama", "tie_word_embeddings", true),
              HasSubstr("expected 'lm_head.weight' to equal"));
  EXPECT_THAT(message("qwen3", "layer_types",
                      {"sliding_attention", "sliding_attention"}),
              HasSubstr("layer_types: expected full_attention for layer 0"));
  EXPECT_THAT(message("qwen3", "sliding_window", nullptr),
              HasSubstr("sliding_window: expected a window"));
  EXPECT_THAT(message("qwen3", "head_dim", nullptr),
              HasSubstr("head_dim: expected a whole number"));
  EXPECT_THAT(message("gpt2", "attn_pdrop", 0.2),
              HasSubstr("attn_pdrop: expected 0.1, the dropout elsewhere"));
  EXPECT_THAT(message("gpt2", "scale_attn_by_inverse_layer_idx", true),
              HasSubstr("expected false, got 'true'"));
  EXPECT_THAT(message("gpt2", "n_inner", 24),
              HasSubstr("mismatched: 'h.0.mlp.c_fc.weight'"));
  EXPECT_THAT(message("bert", "model_type", "bert"),
              HasSubstr("of a language model, got 'bert'"));
  EXPECT_THAT(load_error<Bert>(golden_folder("vit")),
              HasSubstr("model_type: expected 'bert', got '\"vit\"'"));
  const ModelFolder folder("vit");
  folder.set("patch_size", 4);
  EXPECT_THAT(load_error<Vit>(folder.path()),
              HasSubstr("patch_size: expected a number that divides "
                        "image_size, 9"));
  folder.set("patch_size", 3);
  folder.set("num_labels", 4);
  EXPECT_THAT(load_error<Vit>(folder.path()),
              HasSubstr("num_labels: expected 3, as many as id2label has"));
}

TEST(PretrainedErrorTest, AFieldThatDoesNotMatterMayBeIgnored) {
  const ModelFolder folder("llama");
  folder.set("unknown", {{"deep", {1, 2}}});
  EXPECT_THAT(load_error<Llama>(folder.path()), HasSubstr("'unknown'"));
  load_pretrained<Llama>(folder.path(), {.ignored_fields = {"unknown"}});
}

TEST(PretrainedErrorTest, NewerFilesHaveRotationsInOneField) {
  const ModelFolder folder("llama3");
  folder.change("config.json", [](nlohmann::ordered_json& config) {
    config["rope_parameters"] = config["rope_scaling"];
    config["rope_parameters"]["rope_theta"] = config["rope_theta"];
    config.erase("rope_scaling");
    config.erase("rope_theta");
  });
  const LlamaOptions options = read_options<Llama>(folder.path());
  EXPECT_EQ(options.rotary_base, 500);
  EXPECT_EQ(options.rotary_scaling->original_context, 16);
}

TEST(PretrainedErrorTest, NamesWhatAConfigFileIsNot) {
  const ModelFolder folder("llama");
  const auto message = [&](const std::string& text) {
    write_file(folder.file("config.json"), text);
    return load_error<Llama>(folder.path());
  };
  EXPECT_THAT(message("[1]"), HasSubstr("expected a JSON object"));
  EXPECT_THAT(message("{\"a\": 1, \"a\": 2}"),
              HasSubstr("got two entries of one name"));
  EXPECT_THAT(message(std::string(100, '[')), HasSubstr("deeper nesting"));
  std::filesystem::remove(folder.file("config.json"));
  EXPECT_THAT(load_error<Llama>(folder.path()), HasSubstr("config.json"));
}

TEST(PretrainedErrorTest, NamesWhatAnIndexSaysWrong) {
  const std::string index = "model.safetensors.index.json";
  const std::string name = "model.norm.weight";
  const auto message = [&](const nlohmann::ordered_json& file) {
    const ModelFolder folder("llama");
    folder.change(index, [&](nlohmann::ordered_json& json) {
      json["weight_map"][name] = file;
    });
    return load_error<Llama>(folder.path());
  };
  for (const char* const path :
       {"/etc/model.safetensors", "../model.safetensors", "a/model.safetensors",
        "a\\model.safetensors", ".safetensors", "x"}) {
    EXPECT_THAT(message(path),
                HasSubstr("'model.norm.weight': expected the name of a "
                          ".safetensors file in the same folder"))
        << path;
  }
  EXPECT_THAT(message(5), HasSubstr("in the same folder, got '5'"));
  EXPECT_THAT(message("model-00009-of-00003.safetensors"),
              HasSubstr("model-00009-of-00003.safetensors"));
  EXPECT_THAT(message("model-00001-of-00003.safetensors"),
              HasSubstr("expected 'model.norm.weight' in "
                        "'model-00001-of-00003.safetensors', as the index "
                        "says, got it in 'model-00003-of-00003.safetensors'"));

  const ModelFolder unnamed("llama");
  unnamed.change(index, [&](nlohmann::ordered_json& json) {
    json["weight_map"].erase(name);
  });
  EXPECT_THAT(load_error<Llama>(unnamed.path()),
              HasSubstr("only arrays that the index names, got "
                        "'model.norm.weight'"));
  const ModelFolder twice("llama");
  write_file(twice.file("model-00002-of-00003.safetensors"),
             read_file(twice.file("model-00001-of-00003.safetensors")));
  EXPECT_THAT(load_error<Llama>(twice.path()),
              HasSubstr("expected each array in one file"));
  const ModelFolder doubled("llama");
  write_file(doubled.file(index),
             "{\"weight_map\": {\"a\": \"b.safetensors\", \"a\": "
             "\"c.safetensors\"}}");
  EXPECT_THAT(load_error<Llama>(doubled.path()),
              HasSubstr("expected unique names, got a duplicate"));
  write_file(doubled.file(index), "{\"weight_map\": []}");
  EXPECT_THAT(load_error<Llama>(doubled.path()),
              HasSubstr("with the object weight_map"));
}

TEST(PretrainedErrorTest, AFolderWithoutWeightsIsNamed) {
  const TempFolder folder;
  EXPECT_THAT(load_error<Llama>(folder.path()), HasSubstr("model.safetensors"));
}

// What loading takes besides the model.
TEST(PretrainedMemoryTest, LoadingTakesHardlyMoreThanTheModel) {
  const TempFolder folder;
  // The pool rounds these up by little.
  const Gpt2Options sizes = {
      .vocabulary = 6000, .context = 64, .units = 510, .heads = 5, .layers = 4};
  int64_t bytes = 0;
  {
    const auto half =
        using_config(&Config::dtype, DefaultDtype(Dtype::kBFloat16));
    const Gpt2 model(sizes);
    bytes = 4 * model.count_params();
    save_pretrained(model, folder.path());
  }
  cpu::free_all_blocks();
  const int64_t before = cpu::memory_pool_statistics().total_bytes();
  cpu::set_memory_pool_limit(before + bytes + bytes / 10);
  const auto unlimited = [] { cpu::set_memory_pool_limit(0); };
  try {
    const Gpt2 model = load_pretrained<Gpt2>(folder.path());
    EXPECT_EQ(4 * model.count_params(), bytes);
    unlimited();
    cpu::set_memory_pool_limit(cpu::memory_pool_statistics().total_bytes() +
                               bytes / 10);
    save_pretrained(model, folder.path());
  } catch (const Error& error) {
    ADD_FAILURE() << error.what();
  }
  unlimited();
}

TEST(GenerateOptionsTest, AreReadFromAFile) {
  const TempFolder folder;
  const auto options = [&](const std::string& text) {
    write_file(folder.file("generation_config.json"), text);
    return read_generate_options(folder.path());
  };
  const GenerateOptions sampled = options(
      "{\"do_sample\": true, \"temperature\": 0.6, \"top_p\": 0.9, "
      "\"eos_token_id\": [5, 7], \"bos_token_id\": 1, \"max_new_tokens\": 9, "
      "\"repetition_penalty\": 1.1, \"transformers_version\": \"4.45\"}");
  EXPECT_EQ(sampled.temperature, 0.6);
  EXPECT_EQ(sampled.top_k, 50);
  EXPECT_EQ(sampled.top_p, 0.9);
  EXPECT_EQ(sampled.max_tokens, 9);
  EXPECT_EQ(sampled.repetition_penalty, 1.1);
  EXPECT_THAT(sampled.stop_ids, ::testing::ElementsAre(5, 7));
  const GenerateOptions greedy = options(
      "{\"temperature\": 0.6, \"top_k\": 20, \"eos_token_id\": 2, "
      "\"num_beams\": 4, \"length_penalty\": 2.0}");
  EXPECT_EQ(greedy.temperature, 0);
  EXPECT_EQ(greedy.top_k, 0);
  EXPECT_EQ(greedy.beams, 4);
  EXPECT_EQ(greedy.length_penalty, 2);
  EXPECT_THAT(greedy.stop_ids, ::testing::ElementsAre(2));
  EXPECT_THAT(error_of<IoError>([&] { options("{\"typical_p\": 0.5}"); }),
              HasSubstr("typical_p: expected 1, got '0.5'"));
  EXPECT_THAT(error_of<IoError>([&] { options("{\"wishes\": 3}"); }),
              HasSubstr("got 'wishes'"));
  EXPECT_THAT(error_of<IoError>([&] { options("{\"top_p\": 2}"); }),
              HasSubstr("top_p: expected above 0 to 1"));
}

TEST(GenerateOptionsTest, AreSavedWithAModel) {
  const TempFolder folder;
  const auto saved = [&](const GenerateOptions& options) {
    save_pretrained(Gpt2({.vocabulary = 5,
                          .context = 4,
                          .units = 4,
                          .heads = 1,
                          .layers = 1}),
                    folder.path(), {.generate = options});
    return read_generate_options(folder.path());
  };
  const GenerateOptions sampled = saved({.max_tokens = 9,
                                         .temperature = 0.6,
                                         .top_k = 0,
                                         .top_p = 0.9,
                                         .repetition_penalty = 1.1,
                                         .stop_ids = {5, 7}});
  EXPECT_EQ(sampled.max_tokens, 9);
  EXPECT_EQ(sampled.temperature, 0.6);
  EXPECT_EQ(sampled.top_k, 0);
  EXPECT_EQ(sampled.top_p, 0.9);
  EXPECT_EQ(sampled.repetition_penalty, 1.1);
  EXPECT_THAT(sampled.stop_ids, ::testing::ElementsAre(5, 7));
  const GenerateOptions beams =
      saved({.stop_ids = {2}, .beams = 4, .length_penalty = 2});
  EXPECT_EQ(beams.temperature, 0);
  EXPECT_EQ(beams.beams, 4);
  EXPECT_EQ(beams.length_penalty, 2);
  EXPECT_THAT(beams.stop_ids, ::testing::ElementsAre(2));
  EXPECT_THAT(saved({}).stop_ids, ::testing::IsEmpty());

  const auto expect_refused = [&](const GenerateOptions& options,
                                  const char* message) {
    const std::string before = read_file(folder.file("generation_config.json"));
    EXPECT_THAT(error_of<ValueError>([&] { saved(options); }),
                HasSubstr(message));
    EXPECT_EQ(read_file(folder.file("generation_config.json")), before);
  };
  expect_refused({.max_tokens = 0}, "max_tokens of at least 1");
  expect_refused({.temperature = NAN}, "a finite temperature");
  expect_refused({.top_p = 0}, "top_p in (0, 1]");
  expect_refused({.seed = 1}, "no seed");
  expect_refused({.stop_sequences = {{1}}}, "no stop_sequences");
  EXPECT_THAT(error_of<ValueError>([&] {
                save_pretrained(Bert({.vocabulary = 5,
                                      .context = 4,
                                      .units = 4,
                                      .hidden = 4,
                                      .heads = 1,
                                      .layers = 1}),
                                folder.path(), {.generate = GenerateOptions()});
              }),
              HasSubstr("generate for language models alone"));
}

}  // namespace
}  // namespace catena::links
