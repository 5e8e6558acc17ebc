#pragma once

namespace thrust {

// Iterates over what `function` makes of the elements of another iterator.
template <class Function, class Iterator>
class transform_iterator {
 public:
  transform_iterator(Iterator iterator, Function function)
      : iterator_(iterator), function_(function) {}

  auto operator*() const { return function_(*iterator_); }
  template <class N>
  auto operator[](N n) const {
    return function_(iterator_[n]);
  }
  template <class N>
  transform_iterator operator+(N n) const {
    return {iterator_ + n, function_};
  }

 private:
  Iterator iterator_;
  Function function_;
};

template <class Function, class Iterator>
transform_iterator<Function, Iterator> make_transform_iterator(
    Iterator iterator, Function function) {
  return {iterator, function};
}

}  // namespace thrust
