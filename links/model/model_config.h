#pragma once

#include <set>
#include <string>

#include "catena/array/core/dtype.h"
#include "catena/array/io/load_limits.h"
#include "catena/links/model/bert.h"
#include "catena/links/model/gpt2.h"
#include "catena/links/model/language_model.h"
#include "catena/links/model/llama.h"
#include "catena/links/model/vit.h"

namespace catena::links {

// How config.json is read.
struct ModelConfigOptions {
  NamedFieldsOnly keywords = {};
  // Fields that are not looked at, though they are unknown.
  std::set<std::string> ignored_fields = {};
  LoadLimits limits = {};
};

// The field model_type of config.json, which names the family. Throws IoError.
std::string model_type(const std::string& folder, const LoadLimits& limits);

// The options in config.json. `names` has those of the folder's arrays, which
// tell the parts of a model that config.json does not tell. Throw IoError for
// another family, unknown fields, and values that do not fit.
void read_config(const std::string& folder, const std::set<std::string>& names,
                 const ModelConfigOptions& how, Gpt2Options& options);
void read_config(const std::string& folder, const std::set<std::string>& names,
                 const ModelConfigOptions& how, LlamaOptions& options);
void read_config(const std::string& folder, const std::set<std::string>& names,
                 const ModelConfigOptions& how, BertOptions& options);
void read_config(const std::string& folder, const std::set<std::string>& names,
                 const ModelConfigOptions& how, VitOptions& options);

// What generation_config.json says.
GenerateOptions read_generation_config(const std::string& folder,
                                       const ModelConfigOptions& how);

// The text of config.json. Throw ValueError for options that no published
// family has.
std::string config_text(const Gpt2Options& options, Dtype dtype);
std::string config_text(const LlamaOptions& options, Dtype dtype);
std::string config_text(const BertOptions& options, Dtype dtype);
std::string config_text(const VitOptions& options, Dtype dtype);

// The text of generation_config.json. Throws ValueError for what the file
// cannot say.
std::string generation_config_text(const GenerateOptions& options);

}  // namespace catena::links
