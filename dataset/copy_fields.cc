#include "catena/dataset/copy_fields.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "catena/array/concatenate.h"
#include "catena/array/index.h"

namespace catena::dataset {
namespace {

using Copy = std::function<Array(const Array&)>;

bool fits_in_one_piece(const std::vector<Array>& list, Device device) {
  if (list.size() < 2 || list[0].device() == device) return false;
  return std::ranges::all_of(list, [&](const Array& x) {
    return x.dtype() == list[0].dtype() && x.device() == list[0].device();
  });
}

std::vector<Array> copy_list(const std::vector<Array>& list, Device device,
                             const Copy& copy) {
  std::vector<Array> copies;
  copies.reserve(list.size());
  if (!fits_in_one_piece(list, device)) {
    for (const Array& x : list) copies.push_back(copy(x));
    return copies;
  }
  std::vector<Array> flat;
  flat.reserve(list.size());
  for (const Array& x : list) flat.push_back(x.ravel());
  const Array piece = copy(array::concatenate(flat));
  int64_t begin = 0;
  for (const Array& x : list) {
    const int64_t end = begin + x.size();
    copies.push_back(piece[{Slice(begin, end)}].reshape(x.shape()));
    begin = end;
  }
  return copies;
}

}  // namespace

Example copy_fields(const Example& example, Device device, const Copy& copy) {
  Example::Fields fields;
  for (const Field& field : example) {
    if (field.is_list()) {
      fields.push_back(copy_list(field.list(), device, copy));
    } else {
      fields.push_back(copy(field.array()));
    }
  }
  return Example(std::move(fields), example.names());
}

}  // namespace catena::dataset
