#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <set>
#include <string>

#include "catena/array/core/dtype.h"
#include "catena/array/io/load_limits.h"
#include "catena/links/model/bert.h"
#include "catena/links/model/gpt2.h"
#include "catena/links/model/language_model.h"
#include "catena/links/model/llama.h"
#include "catena/links/model/vit.h"

// Models with published weights, in folders of Hugging Face's layout: settings
// in config.json, weights in model.safetensors, or in several such files that
// model.safetensors.index.json names.
namespace catena::links {

struct PretrainedOptions {
  NamedFieldsOnly keywords = {};
  // The parameters', whatever floating dtype the files have.
  Dtype dtype = Dtype::kFloat32;
  // Whether files must have all of the model's weights, and no others.
  bool strict = true;
  // Names of arrays in files that are not read.
  std::set<std::string> ignore_names = {};
  // Fields of config.json that are not looked at, though nobody knows them.
  std::set<std::string> ignored_fields = {};
  LoadLimits limits = {};
};

// Gpt2 or Llama (Llama, SmolLM2, Mistral, Qwen2, Qwen3), as config.json says,
// on the current device. Weights are read from mapped files, so that no memory
// is needed but the model's; files must not be truncated meanwhile.
//
// Throws IoError when a file is missing or damaged, names another kind of
// model, has a field that is unknown or does not fit the others, or does not
// have the model's weights: then those that are missing, unexpected or of
// another shape or dtype are listed. Throws ValueError unless dtype is
// floating, and OutOfMemoryError.
std::unique_ptr<LanguageModel> load_pretrained(
    const std::string& folder, const PretrainedOptions& options = {});

// The same for a model whose kind is known: Gpt2, Llama, Bert or Vit.
template <class Model>
Model load_pretrained(const std::string& folder,
                      const PretrainedOptions& options = {});

// Fills the parameters of a model, which keep their dtype and device, from the
// weights alone: config.json is not read. If anything fails, the model is as
// before. With strict off, what files lack stays as it was: for a new head on a
// published model.
void load_pretrained(const std::string& folder, Gpt2& model,
                     const PretrainedOptions& options = {});
void load_pretrained(const std::string& folder, Llama& model,
                     const PretrainedOptions& options = {});
void load_pretrained(const std::string& folder, Bert& model,
                     const PretrainedOptions& options = {});
void load_pretrained(const std::string& folder, Vit& model,
                     const PretrainedOptions& options = {});

// The options of a model whose kind is known, from config.json and, for parts
// such as a pooler, the names in the files. Throws IoError.
template <class Model>
typename Model::Options read_options(const std::string& folder,
                                     const PretrainedOptions& options = {});

// How to write texts, from generation_config.json, as save_pretrained writes
// it. Throws IoError.
GenerateOptions read_generate_options(const std::string& folder,
                                      const PretrainedOptions& options = {});

struct SavePretrainedOptions {
  NamedFieldsOnly keywords = {};
  // More are written to several files.
  int64_t shard_bytes = 5'000'000'000;
  // How a language model is to write texts, for generation_config.json. Without
  // it, that file stays as it is.
  std::optional<GenerateOptions> generate = std::nullopt;
};

// Writes config.json and the weights, in the parameters' dtype, to a folder
// that exists. What was loaded is written as it was, but for names of classes
// and fields that do not matter; other programs read it, too. Each file is
// written atomically.
//
// Throws IoError when a file cannot be written, or the folder has weights that
// would be taken for these; ValueError when no published kind of model has such
// options, shard_bytes is not positive, or `generate` has what the file cannot
// say (a seed, stop_sequences, stop_texts, functions, numbers that generate()
// refuses) or is given for a Bert or Vit.
void save_pretrained(const Gpt2& model, const std::string& folder,
                     const SavePretrainedOptions& options = {});
void save_pretrained(const Llama& model, const std::string& folder,
                     const SavePretrainedOptions& options = {});
void save_pretrained(const Bert& model, const std::string& folder,
                     const SavePretrainedOptions& options = {});
void save_pretrained(const Vit& model, const std::string& folder,
                     const SavePretrainedOptions& options = {});
// Throws ValueError, too, unless it is a Gpt2 or Llama.
void save_pretrained(const LanguageModel& model, const std::string& folder,
                     const SavePretrainedOptions& options = {});

}  // namespace catena::links
