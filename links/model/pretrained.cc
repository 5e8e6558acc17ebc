#include "catena/links/model/pretrained.h"

#include <algorithm>
#include <cstring>
#include <map>
#include <new>
#include <optional>
#include <type_traits>
#include <utility>
#include <vector>

#include "catena/array/core/error.h"
#include "catena/array/core/memory_errors.h"
#include "catena/array/core/quote.h"
#include "catena/array/index.h"
#include "catena/autograd/config.h"
#include "catena/autograd/unfilled_parameters.h"
#include "catena/links/model/model_config.h"
#include "catena/links/model/weight_files.h"
#include "catena/links/model/weight_names.h"

namespace catena::links {
namespace {

using array::quote;

ModelConfigOptions config_options(const PretrainedOptions& options) {
  return {.ignored_fields = options.ignored_fields, .limits = options.limits};
}

// Names in messages: there may be thousands.
class NameList {
 public:
  void add(const std::string& text) {
    if (++count_ > kMax) return;
    if (!text_.empty()) text_ += ", ";
    text_ += text;
  }
  bool is_empty() const { return count_ == 0; }
  std::string text(std::string_view title) const {
    if (is_empty()) return "";
    return str("\n  ", title, ": ", text_,
               count_ > kMax ? str(" (", count_, " in all)") : "");
  }

 private:
  static constexpr int64_t kMax = 50;

  int64_t count_ = 0;
  std::string text_;
};

// The names in files, some of which have others there.
class FileNames {
 public:
  FileNames(const WeightFiles& files, const WeightNames& wanted) {
    bool has_prefix = false;
    for (const auto& [name, number] : files.names()) {
      has_prefix |= name.starts_with(wanted.prefix);
    }
    if (!has_prefix) cut_ = wanted.prefix;
    for (const auto& [name, number] : files.names()) {
      if (!places_.emplace(current_name(name), name).second) {
        raise<IoError>(files.where(), ": expected unique names, got ",
                       quote(name), " under an older name, too");
      }
    }
  }

  // The name in the files, or null.
  const std::string* find(const std::string& name) const {
    const bool is_cut = !cut_.empty() && name.starts_with(cut_);
    const auto it = places_.find(is_cut ? name.substr(cut_.size()) : name);
    return it == places_.end() ? nullptr : &it->second;
  }
  // What files may call it.
  std::string in_files(const std::string& name) const {
    const bool is_cut = !cut_.empty() && name.starts_with(cut_);
    return is_cut ? name.substr(cut_.size()) : name;
  }

 private:
  // BERT's first files have TensorFlow's names of two weights.
  static std::string current_name(const std::string& name) {
    const auto renamed = [&](std::string_view old, std::string_view now) {
      return name.substr(0, name.size() - old.size()) + std::string(now);
    };
    constexpr std::string_view kGamma = "LayerNorm.gamma";
    constexpr std::string_view kBeta = "LayerNorm.beta";
    if (name.ends_with(kGamma)) return renamed(kGamma, "LayerNorm.weight");
    if (name.ends_with(kBeta)) return renamed(kBeta, "LayerNorm.bias");
    return name;
  }

  std::string cut_;
  std::map<std::string, std::string> places_;
};

// What to read where.
struct Reading {
  const NamedWeight* weight;
  std::string name;  // in the files
};

bool is_kind(const serializers::SafetensorsDeserializer::ArrayKind& kind,
             const Shape& shape) {
  return kind.shape == shape && is_floating(kind.dtype);
}

bool is_ignored(const std::string& name, const WeightNames& wanted,
                const PretrainedOptions& options) {
  return options.ignore_names.contains(name) ||
         std::any_of(
             wanted.ignored_ends.begin(), wanted.ignored_ends.end(),
             [&](const std::string& end) { return name.ends_with(end); });
}

// Compares all names, shapes and dtypes, and throws IoError that lists what
// does not fit.
std::vector<Reading> compare(const WeightFiles& files,
                             const WeightNames& wanted,
                             const PretrainedOptions& options) {
  const FileNames names(files, wanted);
  std::vector<Reading> readings;
  std::set<std::string> used;
  NameList missing;
  NameList mismatched;
  for (const NamedWeight& weight : wanted.weights) {
    const std::string* const name = names.find(weight.name);
    if (name == nullptr) {
      const std::string expected = names.in_files(weight.name);
      if (weight.copy_of.empty() && options.strict &&
          !options.ignore_names.contains(expected)) {
        missing.add(quote(expected));
      }
      continue;
    }
    used.insert(*name);
    if (options.ignore_names.contains(*name)) continue;
    const auto kind = files.kind(*name);
    if (!is_kind(kind, weight.shape)) {
      mismatched.add(str(quote(*name), " (expected floating numbers of shape ",
                         weight.shape, ", got ", kind.dtype, " of shape ",
                         kind.shape, ")"));
      continue;
    }
    readings.push_back({&weight, *name});
  }
  NameList unexpected;
  for (const auto& [name, number] : files.names()) {
    if (options.strict && !used.contains(name) &&
        !is_ignored(name, wanted, options)) {
      unexpected.add(quote(name));
    }
  }
  if (!missing.is_empty() || !mismatched.is_empty() || !unexpected.is_empty()) {
    raise<IoError>(files.where(), ": expected the model's weights, got others",
                   missing.text("missing"), mismatched.text("mismatched"),
                   unexpected.text("unexpected"));
  }
  return readings;
}

bool have_same_bytes(const Array& a, const Array& b) {
  return a.dtype() == b.dtype() && a.nbytes() == b.nbytes() &&
         std::memcmp(a.raw_data(), b.raw_data(),
                     static_cast<size_t>(a.nbytes())) == 0;
}

// Checks what damages and contradicts: everything but memory.
std::vector<Array> mapped(const WeightFiles& files,
                          const std::vector<Reading>& readings) {
  std::vector<Array> arrays;
  std::map<std::string, size_t> originals;
  for (const Reading& reading : readings) {
    arrays.push_back(files.map(reading.name));
    originals.emplace(reading.weight->name, arrays.size() - 1);
  }
  for (size_t i = 0; i < readings.size(); ++i) {
    const auto it = originals.find(readings[i].weight->copy_of);
    if (it == originals.end()) continue;
    if (!have_same_bytes(arrays[i], arrays[it->second])) {
      raise<IoError>(files.where(), ": expected ", quote(readings[i].name),
                     " to equal ", quote(readings[it->second].name),
                     ", with which the model shares it");
    }
  }
  return arrays;
}

// The part of a parameter that a file's array is, in the file's shape.
Array part_of(const NamedWeight& weight, const Array& parameter) {
  if (weight.is_transposed) return parameter.transpose();
  const int64_t rows = weight.shape[0];
  if (rows == parameter.shape()[0]) return parameter;
  return parameter[{Slice(weight.first_row, weight.first_row + rows)}];
}

std::map<std::string, Parameter> parameters_of(const Link& model) {
  std::map<std::string, Parameter> parameters;
  for (auto& [name, parameter] : model.namedparams()) {
    parameters.emplace(name, parameter);
  }
  return parameters;
}

void fill(const Link& model, const std::vector<Reading>& readings,
          const std::vector<Array>& arrays) {
  const std::map<std::string, Parameter> parameters = parameters_of(model);
  for (size_t i = 0; i < readings.size(); ++i) {
    const NamedWeight& weight = *readings[i].weight;
    if (!weight.copy_of.empty()) continue;
    const Parameter& parameter = parameters.at(weight.parameter);
    const Array to = part_of(weight, parameter.data());
    if (to.device().is_native()) {
      to.assign(arrays[i]);
    } else {
      to.assign(arrays[i].to_device(to.device()));
    }
    parameter.bump_version();
  }
}

template <class Model>
void load_into(const std::string& folder, Model& model,
               const PretrainedOptions& options) try {
  const WeightFiles files(folder, options.limits);
  const WeightNames wanted = weight_names(model.options());
  const std::vector<Reading> readings = compare(files, wanted, options);
  fill(model, readings, mapped(files, readings));
} catch (const std::bad_alloc&) {
  raise_out_of_memory("load_pretrained");
}

std::set<std::string> names_of(const WeightFiles& files) {
  std::set<std::string> names;
  for (const auto& [name, number] : files.names()) names.insert(name);
  return names;
}

// A model whose weights are not set yet, if all come from files.
template <class Model>
Model made(const typename Model::Options& settings,
           const PretrainedOptions& options) {
  if (!is_floating(options.dtype)) {
    raise<ValueError>("load_pretrained: expected a floating dtype, got ",
                      options.dtype);
  }
  const auto dtype = using_config(&Config::dtype, DefaultDtype(options.dtype));
  std::optional<UnfilledParameters> unfilled;
  if (options.strict && options.ignore_names.empty()) unfilled.emplace();
  return Model(settings);
}

template <class Model>
Model load_new(const std::string& folder,
               const PretrainedOptions& options) try {
  const WeightFiles files(folder, options.limits);
  typename Model::Options settings;
  read_config(folder, names_of(files), config_options(options), settings);
  const WeightNames wanted = weight_names(settings);
  const std::vector<Reading> readings = compare(files, wanted, options);
  const std::vector<Array> arrays = mapped(files, readings);
  Model model = made<Model>(settings, options);
  fill(model, readings, arrays);
  return model;
} catch (const std::bad_alloc&) {
  raise_out_of_memory("load_pretrained");
}

template <class Model>
typename Model::Options options_of(const std::string& folder,
                                   const PretrainedOptions& options) {
  const WeightFiles files(folder, options.limits);
  typename Model::Options settings;
  read_config(folder, names_of(files), config_options(options), settings);
  return settings;
}

template <class Model>
void save(const Model& model, const std::string& folder,
          const SavePretrainedOptions& options) try {
  if (options.shard_bytes < 1) {
    raise<ValueError>("save_pretrained: expected positive shard_bytes, got ",
                      options.shard_bytes);
  }
  const WeightNames names = weight_names(model.options());
  const std::map<std::string, Parameter> parameters = parameters_of(model);
  const Dtype dtype = parameters.begin()->second.dtype();
  const std::string config = config_text(model.options(), dtype);
  std::optional<std::string> generation;
  if (options.generate) {
    if (!std::is_base_of_v<LanguageModel, Model>) {
      raise<ValueError>(
          "save_pretrained: expected generate for language models alone");
    }
    generation = generation_config_text(*options.generate);
  }
  const size_t cut = names.has_parts_behind ? 0 : names.prefix.size();
  std::vector<std::pair<std::string, Array>> arrays;
  for (const NamedWeight& weight : names.weights) {
    if (!weight.copy_of.empty()) continue;
    arrays.emplace_back(
        weight.name.substr(cut),
        part_of(weight, parameters.at(weight.parameter).data()));
  }
  write_weight_files(folder, arrays, options.shard_bytes);
  write_text_file(folder + "/config.json", config);
  if (generation) {
    write_text_file(folder + "/generation_config.json", *generation);
  }
} catch (const std::bad_alloc&) {
  raise_out_of_memory("save_pretrained");
}

}  // namespace

std::unique_ptr<LanguageModel> load_pretrained(
    const std::string& folder, const PretrainedOptions& options) {
  const std::string type = model_type(folder, options.limits);
  if (type == "gpt2") {
    return std::make_unique<Gpt2>(load_new<Gpt2>(folder, options));
  }
  for (const char* const known : {"llama", "mistral", "qwen2", "qwen3"}) {
    if (type == known) {
      return std::make_unique<Llama>(load_new<Llama>(folder, options));
    }
  }
  raise<IoError>("load_pretrained: ", array::quote_path(folder),
                 ": expected the model_type gpt2, llama, mistral, qwen2 or "
                 "qwen3 of a language model, got ",
                 quote(type));
}

template <>
Gpt2 load_pretrained<Gpt2>(const std::string& folder,
                           const PretrainedOptions& options) {
  return load_new<Gpt2>(folder, options);
}
template <>
Llama load_pretrained<Llama>(const std::string& folder,
                             const PretrainedOptions& options) {
  return load_new<Llama>(folder, options);
}
template <>
Bert load_pretrained<Bert>(const std::string& folder,
                           const PretrainedOptions& options) {
  return load_new<Bert>(folder, options);
}
template <>
Vit load_pretrained<Vit>(const std::string& folder,
                         const PretrainedOptions& options) {
  return load_new<Vit>(folder, options);
}

void load_pretrained(const std::string& folder, Gpt2& model,
                     const PretrainedOptions& options) {
  load_into(folder, model, options);
}
void load_pretrained(const std::string& folder, Llama& model,
                     const PretrainedOptions& options) {
  load_into(folder, model, options);
}
void load_pretrained(const std::string& folder, Bert& model,
                     const PretrainedOptions& options) {
  load_into(folder, model, options);
}
void load_pretrained(const std::string& folder, Vit& model,
                     const PretrainedOptions& options) {
  load_into(folder, model, options);
}

template <>
Gpt2Options read_options<Gpt2>(const std::string& folder,
                               const PretrainedOptions& options) {
  return options_of<Gpt2>(folder, options);
}
template <>
LlamaOptions read_options<Llama>(const std::string& folder,
                                 const PretrainedOptions& options) {
  return options_of<Llama>(folder, options);
}
template <>
BertOptions read_options<Bert>(const std::string& folder,
                               const PretrainedOptions& options) {
  return options_of<Bert>(folder, options);
}
template <>
VitOptions read_options<Vit>(const std::string& folder,
                             const PretrainedOptions& options) {
  return options_of<Vit>(folder, options);
}

GenerateOptions read_generate_options(const std::string& folder,
                                      const PretrainedOptions& options) {
  return read_generation_config(folder, config_options(options));
}

void save_pretrained(const Gpt2& model, const std::string& folder,
                     const SavePretrainedOptions& options) {
  save(model, folder, options);
}
void save_pretrained(const Llama& model, const std::string& folder,
                     const SavePretrainedOptions& options) {
  save(model, folder, options);
}
void save_pretrained(const Bert& model, const std::string& folder,
                     const SavePretrainedOptions& options) {
  save(model, folder, options);
}
void save_pretrained(const Vit& model, const std::string& folder,
                     const SavePretrainedOptions& options) {
  save(model, folder, options);
}
void save_pretrained(const LanguageModel& model, const std::string& folder,
                     const SavePretrainedOptions& options) {
  if (const auto* gpt = dynamic_cast<const Gpt2*>(&model)) {
    return save(*gpt, folder, options);
  }
  if (const auto* llama = dynamic_cast<const Llama*>(&model)) {
    return save(*llama, folder, options);
  }
  raise<ValueError>("save_pretrained: expected a Gpt2 or Llama");
}

}  // namespace catena::links
