#include "catena/functions/array/internal/index_text.h"

#include "catena/array/core/error.h"

namespace catena::functions {
namespace {

std::string text_of(const Slice& slice) {
  std::string text;
  if (slice.start) text += str(*slice.start);
  text += ":";
  if (slice.stop) text += str(*slice.stop);
  if (slice.step != 1) text += str(":", slice.step);
  return text;
}

std::string text_of(const Index& index) {
  switch (index.kind()) {
    case Index::Kind::kInteger:
      return str(index.integer());
    case Index::Kind::kSlice:
      return text_of(index.slice());
    case Index::Kind::kNewAxis:
      return "newaxis";
    case Index::Kind::kEllipsis:
      return "...";
  }
  return {};
}

std::string text_of(const AdvancedIndex& index) {
  if (!index.is_array()) return text_of(index.basic());
  return str(index.array().dtype(), " ", index.array().shape());
}

template <class T>
std::string joined(std::span<const T> indexes) {
  std::string text;
  for (const T& index : indexes) {
    if (!text.empty()) text += ", ";
    text += text_of(index);
  }
  return text;
}

}  // namespace

std::string text_of(std::span<const Index> indexes) { return joined(indexes); }
std::string text_of(std::span<const AdvancedIndex> indexes) {
  return joined(indexes);
}

}  // namespace catena::functions
