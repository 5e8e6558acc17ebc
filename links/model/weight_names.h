#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "catena/array/core/shape.h"
#include "catena/links/model/bert.h"
#include "catena/links/model/gpt2.h"
#include "catena/links/model/llama.h"
#include "catena/links/model/vit.h"

namespace catena::links {

// An array of a file, and where its values are in a model.
struct NamedWeight {
  std::string name;       // in the file
  Shape shape;            // there
  std::string parameter;  // as in namedparams(), "/norm/gamma"
  // A file's array may be some rows of a parameter,
  int64_t first_row = 0;
  // or its transpose,
  bool is_transposed = false;
  // or a copy of the array with this name, which files may lack.
  std::string copy_of = {};
};

// The arrays of a kind of model in Hugging Face's files.
struct WeightNames {
  std::vector<NamedWeight> weights;
  // What the names of a model begin with, but not those of the parts behind it,
  // and none in files of models without such parts.
  std::string prefix;
  bool has_parts_behind = true;
  // Ends of names of arrays that are no weights.
  std::vector<std::string> ignored_ends;
};

WeightNames weight_names(const Gpt2Options& options);
WeightNames weight_names(const LlamaOptions& options);
WeightNames weight_names(const BertOptions& options);
WeightNames weight_names(const VitOptions& options);

}  // namespace catena::links
