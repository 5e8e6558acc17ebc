#include "catena/dataset/tokenizers/tokenizer_file.h"

#include <algorithm>
#include <new>
#include <nlohmann/json.hpp>
#include <utility>
#include <vector>

#include "catena/array/core/error.h"
#include "catena/array/core/memory_errors.h"
#include "catena/array/core/quote.h"
#include "catena/array/io/atomic_file.h"
#include "catena/array/io/byte_source.h"
#include "catena/dataset/tokenizers/tokenizer_definition.h"
#include "catena/dataset/tokenizers/tokenizer_parts.h"
#include "catena/serializers/json_field.h"

namespace catena::datasets {
namespace {

using array::quote;
using nlohmann::json;

constexpr size_t kMaxDepth = 16;
// The largest published files have 35 MB.
constexpr int64_t kMaxBytes = int64_t{1} << 30;

// Reads a file event by event: vocabulary and merges, which are nearly all of
// it, into the definition, and the rest into a value.
class DefinitionReader final : public nlohmann::json_sax<json> {
 public:
  explicit DefinitionReader(const std::string& where) : where_(where) {}

  bool null() override { return put(nullptr); }
  bool boolean(bool value) override { return put(value); }
  bool number_integer(int64_t value) override { return put(value); }
  bool number_unsigned(uint64_t value) override {
    if (!is_in_vocabulary()) return put(value);
    if (value > INT32_MAX) refuse_id(std::to_string(value));
    definition.vocabulary.push_back(
        {std::move(key_), static_cast<int32_t>(value)});
    return true;
  }
  bool number_float(double value, const std::string& /*text*/) override {
    return put(value);
  }
  bool string(std::string& value) override {
    if (!is_in_merges()) return put(std::move(value));
    if (open_.size() == 4) {
      merge_.push_back(std::move(value));
    } else {
      const size_t blank = value.find(' ');
      if (blank == std::string::npos ||
          value.find(' ', blank + 1) != std::string::npos) {
        refuse_merge(quote(value));
      }
      definition.merges.emplace_back(value.substr(0, blank),
                                     value.substr(blank + 1));
    }
    return true;
  }
  bool binary(json::binary_t& /*value*/) override { return false; }

  bool start_object(size_t /*size*/) override { return open(json::object()); }
  bool end_object() override { return close(); }
  bool start_array(size_t /*size*/) override {
    merge_.clear();
    return open(json::array());
  }
  bool end_array() override {
    if (is_in_merges() && open_.size() == 4) {
      if (merge_.size() != 2) {
        refuse_merge(str("a list of ", merge_.size(), " texts"));
      }
      definition.merges.emplace_back(std::move(merge_[0]),
                                     std::move(merge_[1]));
    }
    return close();
  }
  bool key(std::string& name) override {
    key_ = std::move(name);
    if (!is_in_vocabulary() && open_.back().value->contains(key_)) {
      raise<IoError>(where_, ": expected unique names, got ", quote(key_),
                     " twice");
    }
    return true;
  }
  bool parse_error(size_t position, const std::string& /*token*/,
                   const json::exception& /*error*/) override {
    raise<IoError>(where_, ": expected JSON, got something else at byte ",
                   position);
  }

  json rest;
  TokenizerDefinition definition;

 private:
  struct Open {
    json* value;
    std::string key;  // its name where it is a field
  };

  bool is_at(std::string_view name) const {
    return open_.size() >= 3 && open_[1].key == "model" && open_[2].key == name;
  }
  bool is_in_vocabulary() const { return open_.size() == 3 && is_at("vocab"); }
  bool is_in_merges() const { return open_.size() <= 4 && is_at("merges"); }

  [[noreturn]] void refuse_id(const std::string& id) const {
    raise<IoError>(where_, ": model.vocab.", quote(key_),
                   ": expected an id from 0 to ", INT32_MAX, ", got ", id);
  }
  [[noreturn]] void refuse_merge(const std::string& merge) const {
    raise<IoError>(where_, ": model.merges[", definition.merges.size(),
                   "]: expected two tokens with a blank between them, or a "
                   "list of two, got ",
                   merge);
  }

  // Puts a value into the list or object that is open.
  json* add(json value) {
    if (open_.empty()) {
      rest = std::move(value);
      return &rest;
    }
    json& parent = *open_.back().value;
    if (parent.is_array()) {
      parent.push_back(std::move(value));
      return &parent.back();
    }
    return &(parent[key_] = std::move(value));
  }
  bool put(json value) {
    if (is_in_vocabulary()) refuse_id(quote(value.dump()));
    if (is_in_merges()) refuse_merge(quote(value.dump()));
    add(std::move(value));
    return true;
  }
  bool open(json value) {
    if (is_in_vocabulary()) refuse_id("a list or an object");
    if (is_in_merges()) {
      // Pairs are not kept.
      if (open_.size() == 4 || value.is_object()) {
        refuse_merge("a list or an object");
      }
      open_.push_back({&pair_, ""});
      return true;
    }
    if (open_.size() >= kMaxDepth) {
      raise<IoError>(where_, ": expected at most ", kMaxDepth,
                     " levels of lists and objects, got more");
    }
    const bool is_object = value.is_object();
    const bool is_field = !open_.empty() && open_.back().value->is_object();
    std::string name = is_field ? key_ : "";
    open_.push_back({add(std::move(value)), std::move(name)});
    if (open_.size() == 3 && is_at("vocab") && !is_object) {
      raise<IoError>(where_, ": model.vocab: expected an object, got a list");
    }
    if (open_.size() == 3 && is_at("merges") && is_object) {
      raise<IoError>(where_, ": model.merges: expected a list, got an object");
    }
    return true;
  }
  bool close() {
    open_.pop_back();
    return true;
  }

  const std::string& where_;
  std::vector<Open> open_;
  std::string key_;
  std::vector<std::string> merge_;
  json pair_ = json::array();
};

AddedToken added_token_of(const JsonField& field) {
  field.check_fields({"id", "content", "single_word", "lstrip", "rstrip",
                      "normalized", "special"});
  const bool is_special = field["special"].boolean_or(false);
  return {.content = field["content"].text(),
          .id = field["id"].whole_number(),
          .is_special = is_special,
          .is_normalized = field["normalized"].boolean_or(!is_special),
          .strips_left = field["lstrip"].boolean_or(false),
          .strips_right = field["rstrip"].boolean_or(false),
          .is_single_word = field["single_word"].boolean_or(false)};
}

TokenizerDefinition read_definition(std::string_view text,
                                    const std::string& where) {
  DefinitionReader reader(where);
  json::sax_parse(text.begin(), text.end(), &reader);
  const JsonField file(reader.rest, where, "");
  file.check_fields({"version", "truncation", "padding", "added_tokens",
                     "normalizer", "pre_tokenizer", "post_processor", "decoder",
                     "model"});
  if (file["version"].text_or("1.0") != "1.0") file["version"].refuse("1.0");
  file["truncation"].expect_null();
  file["padding"].expect_null();
  TokenizerDefinition definition = std::move(reader.definition);
  if (!file["added_tokens"].is_null()) {
    for (const JsonField& token : file["added_tokens"].elements()) {
      definition.added_tokens.push_back(added_token_of(token));
    }
  }
  const JsonField model = file["model"];
  if (!model.value().is_object()) model.refuse("an object");
  // Both are empty now, or not what they have to be.
  if (!model["vocab"].value().is_object()) {
    model["vocab"].refuse("an object of tokens and ids");
  }
  if (!model["merges"].is_null() && !model["merges"].value().is_array()) {
    model["merges"].refuse("a list of pairs of tokens");
  }
  definition.model = model.value();
  definition.model.erase("vocab");
  definition.model.erase("merges");
  definition.normalizer = file["normalizer"].value();
  definition.pre_tokenizer = file["pre_tokenizer"].value();
  definition.post_processor = file["post_processor"].value();
  definition.decoder = file["decoder"].value();
  return definition;
}

// Writes a file part by part.
class FileText {
 public:
  void begin_field(int depth, std::string_view name) {
    text_ += std::exchange(is_first_, false) ? "\n" : ",\n";
    text_.append(static_cast<size_t>(2 * depth), ' ');
    text_ += json(name).dump() + ": ";
  }
  void field(int depth, std::string_view name, const json& value) {
    begin_field(depth, name);
    text_ += value.dump();
  }
  void element(int depth, const json& value) {
    text_ += std::exchange(is_first_, false) ? "\n" : ",\n";
    text_.append(static_cast<size_t>(2 * depth), ' ');
    text_ += value.dump();
  }
  void open(char bracket) {
    text_ += bracket;
    is_first_ = true;
  }
  void close(int depth, char bracket) {
    if (!std::exchange(is_first_, false)) {
      text_ += '\n';
      text_.append(static_cast<size_t>(2 * depth), ' ');
    }
    text_ += bracket;
  }
  const std::string& text() const { return text_; }

 private:
  std::string text_;
  bool is_first_ = true;
};

json json_of(const AddedToken& token) {
  return {{"id", token.id},
          {"content", token.content},
          {"single_word", token.is_single_word},
          {"lstrip", token.strips_left},
          {"rstrip", token.strips_right},
          {"normalized", token.is_normalized},
          {"special", token.is_special}};
}

std::string text_of(const TokenizerParts& parts) {
  FileText file;
  file.open('{');
  file.field(1, "version", "1.0");
  file.field(1, "truncation", nullptr);
  file.field(1, "padding", nullptr);
  file.begin_field(1, "added_tokens");
  file.open('[');
  for (const AddedToken& token : parts.added_tokens) {
    file.element(2, json_of(token));
  }
  file.close(1, ']');
  file.field(1, "normalizer", parts.normalizer_json);
  file.field(1, "pre_tokenizer", parts.pre_tokenizer_json);
  file.field(1, "post_processor", parts.post_processor_json);
  file.field(1, "decoder", parts.decoder_json);
  file.begin_field(1, "model");
  file.open('{');
  for (const auto& [name, value] : parts.model_json.items()) {
    file.field(2, name, value);
  }
  file.begin_field(2, "vocab");
  file.open('{');
  for (const int32_t id : parts.model_ids) {
    file.field(3, parts.tokens[id], id);
  }
  file.close(2, '}');
  file.begin_field(2, "merges");
  file.open('[');
  for (const auto& [left, right] : parts.merges) {
    file.element(3, {parts.tokens[left], parts.tokens[right]});
  }
  file.close(2, ']');
  file.close(1, '}');
  file.close(0, '}');
  return file.text() + '\n';
}

}  // namespace

Tokenizer read_tokenizer(const std::string& path,
                         const LoadLimits& limits) try {
  const array::ByteSource source =
      array::ByteSource::open(path, "read_tokenizer", limits);
  const int64_t most = std::min(limits.total_bytes, kMaxBytes);
  if (source.size() > most) {
    raise<IoError>(source.where(), ": expected at most ", most,
                   " bytes (LoadLimits::total_bytes), got ", source.size());
  }
  std::string text(static_cast<size_t>(source.size()), '\0');
  source.read(0, text);
  // The parser would take it for the end.
  if (text.find('\0') != std::string::npos) {
    raise<IoError>(source.where(), ": expected JSON, got a zero byte in it");
  }
  return Tokenizer(make_tokenizer_parts(read_definition(text, source.where()),
                                        source.where()));
} catch (const std::bad_alloc&) {
  raise_out_of_memory("read_tokenizer");
}

void save_tokenizer(const std::string& path, const Tokenizer& tokenizer) try {
  array::AtomicFile file(path, "save_tokenizer");
  file.write(text_of(tokenizer.parts()));
  file.commit();
} catch (const std::bad_alloc&) {
  raise_out_of_memory("save_tokenizer");
}

}  // namespace catena::datasets
