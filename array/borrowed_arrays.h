#pragma once

#include "absl/container/inlined_vector.h"
#include "catena/array/array.h"

namespace catena {

// A list of handles that are not counted, to hand arrays to a function that
// only looks at them: counting costs as much as a small operation itself. The
// arrays they were borrowed from must stay while this object does; copies of
// the list's elements count as usual.
class BorrowedArrays {
 public:
  explicit BorrowedArrays(size_t capacity) { list_.reserve(capacity); }
  ~BorrowedArrays() {
    for (Array& a : list_) a.body_.detach();
  }
  BorrowedArrays(const BorrowedArrays&) = delete;
  BorrowedArrays& operator=(const BorrowedArrays&) = delete;

  // At most as many as the capacity.
  void add(const Array& a) {
    list_.emplace_back().body_ = Ref<Array::Body>::adopt(a.body_.get());
  }

  const absl::InlinedVector<Array, 2>& list() const { return list_; }

 private:
  absl::InlinedVector<Array, 2> list_;
};

}  // namespace catena
