#pragma once

#include <memory>
#include <optional>

#include "catena/dataset/tokenizers/tokenizer.h"
#include "catena/links/model/language_model.h"

// The flags that programs with a published model share: --model, --dtype,
// --device, --max_tokens, --temperature, --top_k, --top_p,
// --repetition_penalty, --seed.
namespace catena::examples {

struct PublishedModel {
  std::unique_ptr<links::LanguageModel> model;
  datasets::Tokenizer tokenizer;
  // Those of generation_config.json, if there is one,
  std::optional<links::GenerateOptions> published_options;
  // with the flags'.
  links::GenerateOptions options;
};

// Reads the folder --model. Throws ValueError without one, and as
// load_pretrained and read_tokenizer do.
PublishedModel load_published_model();

}  // namespace catena::examples
