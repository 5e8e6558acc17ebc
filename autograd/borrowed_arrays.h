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
  using List = absl::InlinedVector<Array, 2>;

  explicit BorrowedArrays(size_t count) : list_(count) {}
  ~BorrowedArrays() {
    for (Array& a : list_) a.body_.detach();
    // Only a list that has allocated memory needs its destructor.
    if (list_.capacity() > kInline) list_.~List();
  }
  BorrowedArrays(const BorrowedArrays&) = delete;
  BorrowedArrays& operator=(const BorrowedArrays&) = delete;

  // Sets element i, once.
  void set(size_t i, const Array& a) {
    list_[i].body_ = Ref<Array::Body>::adopt(a.body_.get());
  }

  const List& list() const { return list_; }

 private:
  static constexpr size_t kInline = 2;

  union {
    List list_;
  };
};

}  // namespace catena
