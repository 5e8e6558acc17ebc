#include "catena/dataset/datasets/npz_dataset.h"

#include <new>

#include "catena/array/core/error.h"
#include "catena/array/core/memory_errors.h"
#include "catena/array/core/quote.h"

namespace catena::datasets {
namespace {

std::string unnamed_field(int64_t index) { return str("arr_", index); }

std::vector<std::string> fields_of(const dataset::Example& example) {
  if (example.names() != nullptr) return *example.names();
  std::vector<std::string> fields;
  for (int64_t i = 0; i < example.size(); ++i) {
    fields.push_back(unnamed_field(i));
  }
  return fields;
}

std::string key_of(int64_t example, const std::string& field) {
  return str(example, "/", field);
}

std::string joined(const std::vector<std::string>& fields) {
  std::string text;
  for (const std::string& field : fields) {
    text += str(text.empty() ? "" : ", ", array::quote(field));
  }
  return text.empty() ? "none" : text;
}

}  // namespace

NpzDatasetWriter::NpzDatasetWriter(const std::string& path,
                                   array::NpzCompression compression)
    : file_(path, compression) {}

void NpzDatasetWriter::write(const dataset::Example& example) try {
  std::vector<std::string> fields = fields_of(example);
  if (size_ == 0) fields_ = fields;
  if (fields.empty() || fields != fields_) {
    raise<ValueError>("NpzDatasetWriter: expected ",
                      fields_.empty() ? "some fields" : joined(fields_),
                      " in example ", size_, ", got ", joined(fields));
  }
  for (int64_t i = 0; i < example.size(); ++i) {
    file_.write(key_of(size_, fields[static_cast<size_t>(i)]), example[i]);
  }
  ++size_;
} catch (const std::bad_alloc&) {
  raise_out_of_memory("NpzDatasetWriter");
}

NpzDataset::NpzDataset(const std::string& path, const LoadLimits& limits) try
    : file_(std::make_shared<array::NpzReader>(path, limits)) {
  const std::vector<std::string>& keys = file_->keys();
  const std::string first = key_of(0, "");
  bool named = false;
  for (const std::string& key : keys) {
    if (!key.starts_with(first)) break;
    fields_.push_back(key.substr(first.size()));
    const auto index = static_cast<int64_t>(fields_.size()) - 1;
    named = named || fields_.back() != unnamed_field(index);
  }
  const auto count = static_cast<int64_t>(fields_.size());
  for (size_t i = 0; i < keys.size(); ++i) {
    const auto at = static_cast<int64_t>(i);
    const std::string expected =
        count == 0 ? key_of(0, unnamed_field(0))
                   : key_of(at / count, fields_[i % fields_.size()]);
    if (keys[i] != expected) {
      raise<IoError>("NpzDataset: ", array::quote_path(path),
                     ": expected the key ", array::quote(expected), ", got ",
                     array::quote(keys[i]));
    }
  }
  if (count == 0) return;
  size_ = static_cast<int64_t>(keys.size()) / count;
  if (static_cast<int64_t>(keys.size()) % count != 0) {
    raise<IoError>("NpzDataset: ", array::quote_path(path), ": expected ",
                   joined(fields_), " in example ", size_,
                   ", got fewer fields");
  }
  if (named) {
    names_ = std::make_shared<const std::vector<std::string>>(fields_);
  }
} catch (const std::bad_alloc&) {
  raise_out_of_memory("NpzDataset");
}

dataset::Example NpzDataset::get_example(int64_t i) const try {
  dataset::Example::Fields fields;
  for (const std::string& field : fields_) {
    fields.push_back(file_->read_array(key_of(i, field)));
  }
  return dataset::Example(std::move(fields), names_);
} catch (const std::bad_alloc&) {
  raise_out_of_memory("NpzDataset");
}

}  // namespace catena::datasets
