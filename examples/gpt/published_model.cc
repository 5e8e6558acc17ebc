#include "catena/examples/gpt/published_model.h"

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>

#include "absl/flags/flag.h"
#include "catena/array/core/error.h"
#include "catena/dataset/tokenizers/tokenizer_file.h"
#include "catena/examples/support/flags.h"
#include "catena/links/model/pretrained.h"

using absl::GetFlag;

ABSL_FLAG(std::string, model, "", "folder of the model");
ABSL_FLAG(std::string, dtype, "float32", "of weights: float32 or bfloat16");
ABSL_FLAG(std::string, device, "native", "native, cuda:0, ...");
ABSL_FLAG(std::optional<int64_t>, max_tokens, std::nullopt,
          "tokens to write at most");
ABSL_FLAG(std::optional<double>, temperature, std::nullopt,
          "0: always the likeliest token; defaults to the model's");
ABSL_FLAG(std::optional<int64_t>, top_k, std::nullopt,
          "draws from so many of the likeliest tokens");
ABSL_FLAG(std::optional<double>, top_p, std::nullopt,
          "draws from the likeliest tokens with this probability together");
ABSL_FLAG(std::optional<double>, repetition_penalty, std::nullopt,
          "above 1: tokens of the text become less likely");
ABSL_FLAG(std::optional<uint64_t>, seed, std::nullopt,
          "of all random numbers; by default each run draws others");

namespace catena::examples {
namespace {

template <class T, class Flag>
void set_if_given(const Flag& flag, T& option) {
  if (const auto value = GetFlag(flag)) option = *value;
}

}  // namespace

PublishedModel load_published_model() {
  const std::string folder = GetFlag(FLAGS_model);
  if (folder.empty()) {
    raise<ValueError>("--model: expected the folder of a model, got none");
  }
  const DeviceScope scope(Device::parse(GetFlag(FLAGS_device)));
  PublishedModel result{
      links::load_pretrained(folder,
                             {.dtype = dtype_from_name(GetFlag(FLAGS_dtype))}),
      datasets::read_tokenizer(folder + "/tokenizer.json"),
      std::nullopt,
      {}};
  if (std::filesystem::exists(folder + "/generation_config.json")) {
    result.published_options = links::read_generate_options(folder);
    result.options = *result.published_options;
  }
  set_if_given(FLAGS_max_tokens, result.options.max_tokens);
  set_if_given(FLAGS_temperature, result.options.temperature);
  set_if_given(FLAGS_top_k, result.options.top_k);
  set_if_given(FLAGS_top_p, result.options.top_p);
  set_if_given(FLAGS_repetition_penalty, result.options.repetition_penalty);
  if (const auto seed = GetFlag(FLAGS_seed)) result.options.seed = seed;
  return result;
}

}  // namespace catena::examples
