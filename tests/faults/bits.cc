#include "catena/tests/faults/bits.h"

#include "catena/array/core/error.h"
#include "catena/array/io/npy.h"

namespace catena::testing {

std::string bits_of(const Array& a) {
  return a.defined() ? array::npy_from_array(a) : "undefined";
}

std::string bits_of(const std::vector<std::string>& texts) {
  std::string bits;
  for (const std::string& text : texts) bits += str(text.size(), ":", text);
  return bits;
}

std::string bits_of(const array::NpzContents& contents) {
  std::string bits;
  for (const auto& [key, value] : contents) {
    bits += key;
    bits += value.is_array() ? bits_of(value.array())
                             : bits_of(value.strings().values);
  }
  return bits;
}

std::string bits_of(const array::TextTable& table) {
  std::string bits;
  for (const array::TextColumn& column : table.columns()) {
    bits += column.name + bits_of(column.numbers) + bits_of(column.text);
  }
  return bits;
}

std::string bits_of(const dataset::Example& example) {
  std::string bits;
  for (const Array& field : example) bits += bits_of(field);
  return bits;
}

std::string bits_of(Link& link) {
  std::string bits;
  for (const auto& [path, param] : link.namedparams()) {
    bits += path;
    bits += bits_of(param.is_initialized() ? param.data() : Array());
  }
  return bits;
}

}  // namespace catena::testing
