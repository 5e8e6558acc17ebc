// Continues a text with a language model whose weights are published.
//
//   Data:   a folder of Hugging Face's layout with config.json, the weights in
//           safetensors files and tokenizer.json: GPT-2, Llama, SmolLM2,
//           Mistral, Qwen2 or Qwen3. What generation_config.json says, if it
//           is there, holds for flags that are not given.
//   Run:    ./bazelw run //examples/gpt:generate -- --model=FOLDER
//           --prompt="To be"
//   Expect: the text, as it is written. The time goes into reading the weights
//           from memory, once a token: 124 million parameters in float32 write
//           20 tokens a second where memory gives 10 GB a second.

#include <filesystem>
#include <iostream>
#include <memory>
#include <optional>
#include <string>

#include "absl/flags/flag.h"
#include "catena/catena.h"
#include "catena/examples/support/flags.h"

using absl::GetFlag;
using namespace catena;
namespace L = catena::links;

ABSL_FLAG(std::string, model, "", "folder with the model");
ABSL_FLAG(std::string, prompt, "", "what the text begins with");
ABSL_FLAG(std::string, device, "native", "native, cuda:0, ...");
ABSL_FLAG(std::string, dtype, "float32", "of the parameters");
ABSL_FLAG(std::optional<int64_t>, max_tokens, std::nullopt,
          "how many tokens to write at most");
ABSL_FLAG(std::optional<double>, temperature, std::nullopt,
          "divides scores before a token is drawn; 0: takes the largest");
ABSL_FLAG(std::optional<int64_t>, top_k, std::nullopt,
          "draws from that many tokens; 0: from all");
ABSL_FLAG(std::optional<double>, top_p, std::nullopt,
          "draws from the best tokens with this probability together");
ABSL_FLAG(std::optional<uint64_t>, seed, std::nullopt,
          "the same seed gives the same text");

namespace {

L::GenerateOptions options_of(const std::string& folder) {
  L::GenerateOptions options;
  if (std::filesystem::exists(folder + "/generation_config.json")) {
    options = L::read_generate_options(folder);
  }
  const auto set = [](const auto& flag, auto& field) {
    if (const auto value = GetFlag(flag)) field = *value;
  };
  set(FLAGS_max_tokens, options.max_tokens);
  set(FLAGS_temperature, options.temperature);
  set(FLAGS_top_k, options.top_k);
  set(FLAGS_top_p, options.top_p);
  options.seed = GetFlag(FLAGS_seed);
  return options;
}

void write_text() {
  const std::string folder = GetFlag(FLAGS_model);
  if (folder.empty()) raise<ValueError>("expected --model=FOLDER");
  const DeviceScope scope(Device::parse(GetFlag(FLAGS_device)));

  // 1. The tokenizer and the model, which belong together.
  const datasets::Tokenizer tokenizer =
      datasets::read_tokenizer(folder + "/tokenizer.json");
  const std::unique_ptr<L::LanguageModel> model = L::load_pretrained(
      folder, {.dtype = dtype_from_name(GetFlag(FLAGS_dtype))});
  const int64_t vocabulary = model->sizes().vocabulary;
  if (tokenizer.vocabulary_size() > vocabulary) {
    raise<ValueError>("expected a tokenizer of at most ", vocabulary,
                      " tokens, as many as the model has, got one of ",
                      tokenizer.vocabulary_size());
  }

  // 2. Each token is shown as soon as it is written.
  const std::string prompt = GetFlag(FLAGS_prompt);
  datasets::StreamDecoder decoder(tokenizer);
  L::GenerateOptions options = options_of(folder);
  if (options.beams == 1) {
    std::cout << prompt;
    options.on_token = [&](int32_t id) {
      std::cout << decoder.add(id) << std::flush;
      return true;
    };
  }
  const std::vector<int32_t> ids = tokenizer.encode(prompt);
  const L::Generation text = L::generate(*model, ids, options);

  // 3. Of several beams, the best is known at the end.
  if (options.beams > 1) {
    std::cout << prompt;
    for (const int32_t id : text.ids) std::cout << decoder.add(id);
  }
  std::cout << decoder.finish() << '\n';
}

}  // namespace

int main(int argc, char** argv) {
  return examples::run_example(
      argc, argv, "Continues a text with a published language model.",
      write_text);
}
