#include "catena/dataset/example.h"

#include <algorithm>

#include "catena/array/core/error.h"

namespace catena::dataset {

void Field::throw_wrong_form(std::string_view label) const {
  if (is_list()) {
    raise<ValueError>("Example: expected an array in ", label,
                      ", got a list of ", list_->size(), " arrays");
  }
  raise<ValueError>("Example: expected a list of arrays in ", label,
                    ", got an array of shape ", array_.shape());
}

Example::Example(Fields fields, Names names)
    : fields_(std::move(fields)), names_(std::move(names)) {
  if (names_ != nullptr && names_->size() != fields_.size()) {
    raise<ValueError>("Example: expected a name for each of ", fields_.size(),
                      " fields, got ", names_->size(), " names");
  }
}

int64_t Example::index_of(int64_t index) const {
  const int64_t i = index < 0 ? index + size() : index;
  if (i < 0 || i >= size()) {
    raise<IndexError>("Example: expected an index into ", size(),
                      " fields, got ", index);
  }
  return i;
}

int64_t Example::index_of(std::string_view name) const {
  std::string known;
  for (int64_t i = 0; names_ != nullptr && i < size(); ++i) {
    if ((*names_)[i] == name) return i;
    known += (known.empty() ? "'" : ", '") + (*names_)[i] + "'";
  }
  raise<ValueError>("Example: expected a field '", name, "', got ",
                    known.empty() ? "fields without names" : known);
}

const Array& Example::array_at(int64_t index) const {
  const Field& field = fields_[index];
  if (field.is_list()) field.throw_wrong_form(label(index));
  return field.array_;
}

const std::vector<Array>& Example::list_at(int64_t index) const {
  const Field& field = fields_[index];
  if (!field.is_list()) field.throw_wrong_form(label(index));
  return *field.list_;
}

std::string Example::label(int64_t index) const {
  if (names_ == nullptr) return str("field ", index);
  return str("field '", (*names_)[index_of(index)], "'");
}

bool same_names(const Example::Names& a, const Example::Names& b) {
  return a == b || (a != nullptr && b != nullptr && *a == *b);
}

}  // namespace catena::dataset
