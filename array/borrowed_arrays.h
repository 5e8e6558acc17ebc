#pragma once

#include "absl/container/inlined_vector.h"
#include "catena/array/array.h"

namespace catena {

// A list of uncounted handles, for passing arrays to a function that only reads
// them: reference counting costs as much as a small operation. The borrowed
// arrays must outlive this object; copies of the list's elements are counted as
// usual.
class BorrowedArrays {
 public:
  explicit BorrowedArrays(size_t capacity) { list_.reserve(capacity); }
  ~BorrowedArrays() {
    for (Array& a : list_) a.body_.detach();
  }
  BorrowedArrays(const BorrowedArrays&) = delete;
  BorrowedArrays& operator=(const BorrowedArrays&) = delete;

  // May be called at most `capacity` times.
  void add(const Array& a) {
    list_.emplace_back().body_ = Ref<Array::Body>::adopt(a.body_.get());
  }

  const absl::InlinedVector<Array, 2>& list() const { return list_; }

 private:
  absl::InlinedVector<Array, 2> list_;
};

}  // namespace catena
