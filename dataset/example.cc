#include "catena/dataset/example.h"

#include <algorithm>

#include "catena/array/error.h"

namespace catena::dataset {

Example::Example(std::initializer_list<Field> fields) {
  for (const Field& field : fields) fields_.push_back(field.array());
}

Example::Example(Fields fields, Names names)
    : fields_(std::move(fields)), names_(std::move(names)) {
  if (names_ != nullptr && names_->size() != fields_.size()) {
    raise<ValueError>("Example: expected a name for each of ", fields_.size(),
                      " arrays, got ", names_->size(), " names");
  }
}

const Array& Example::operator[](std::string_view name) const& {
  std::string known;
  for (int64_t i = 0; names_ != nullptr && i < size(); ++i) {
    if ((*names_)[i] == name) return fields_[i];
    known += (known.empty() ? "'" : ", '") + (*names_)[i] + "'";
  }
  raise<ValueError>("Example: expected a field '", name, "', got ",
                    known.empty() ? "fields without names" : known);
}

const Array& Example::at(int64_t index) const {
  const int64_t i = index < 0 ? index + size() : index;
  if (i < 0 || i >= size()) {
    raise<IndexError>("Example: expected an index into ", size(),
                      " fields, got ", index);
  }
  return fields_[i];
}

std::string Example::label(int64_t index) const {
  if (names_ == nullptr) return str("field ", index);
  return str("field '", (*names_)[index], "'");
}

bool same_names(const Example::Names& a, const Example::Names& b) {
  return a == b || (a != nullptr && b != nullptr && *a == *b);
}

}  // namespace catena::dataset
