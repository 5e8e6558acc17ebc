#pragma once

namespace thrust {

// Iterates over value, value + 1, ...
template <class T>
class counting_iterator {
 public:
  explicit counting_iterator(T value) : value_(value) {}

  T operator*() const { return value_; }
  template <class N>
  T operator[](N n) const {
    return value_ + static_cast<T>(n);
  }
  template <class N>
  counting_iterator operator+(N n) const {
    return counting_iterator((*this)[n]);
  }

 private:
  T value_;
};

}  // namespace thrust
