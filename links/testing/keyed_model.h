#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <utility>

#include "catena/array/core/error.h"
#include "catena/array/creation.h"
#include "catena/links/chain.h"

namespace catena::testing {

// Arrays by their paths in a model, such as "blocks/1/W".
using KeyedArrays = std::map<std::string, Array, std::less<>>;

namespace internal {

// What a link has and what its children have.
struct KeyedLevel {
  KeyedArrays params;
  KeyedArrays persistents;
  std::map<std::string, KeyedLevel> children;

  // The level that `path` leads to, and the name there.
  std::pair<KeyedLevel*, std::string> find(const std::string& path) {
    const size_t slash = path.find('/');
    if (slash == std::string::npos) return {this, path};
    return children[path.substr(0, slash)].find(path.substr(slash + 1));
  }
  // Whether the children are called 0, 1, ....
  bool is_list() const {
    for (size_t i = 0; i < children.size(); ++i) {
      if (!children.contains(std::to_string(i))) return false;
    }
    return !children.empty();
  }
};

// A number that is saved with its link.
struct KeyedNumber {
  virtual ~KeyedNumber() = default;
  std::string key;
  int64_t value = 1;
};

template <class Base>
class KeyedLink : public Base, public KeyedNumber {
 public:
  explicit KeyedLink(const KeyedLevel& level);
};

template <class Add>
void add_keyed_link(const KeyedLevel& level, const Add& add) {
  if (level.is_list()) {
    add(KeyedLink<ChainList>(level));
  } else {
    add(KeyedLink<ChainBase>(level));
  }
}

template <class Base>
KeyedLink<Base>::KeyedLink(const KeyedLevel& level) {
  for (const auto& [name, array] : level.params) {
    if (array.defined()) {
      const auto ones = [](const Array& out) { out.fill(1); };
      this->add_param(name, Initializer(ones, array.dtype()), array.shape());
    } else {
      this->add_param(name, Initializer(1));
    }
  }
  for (const auto& [name, array] : level.persistents) {
    if (array.dtype() == Dtype::kInt64 && array.ndim() == 0 && key.empty()) {
      key = name;
      this->add_persistent(name, value);
    } else {
      this->add_persistent_value(name, array::ones_like(array));
    }
  }
  if constexpr (std::is_same_v<Base, ChainList>) {
    for (size_t i = 0; i < level.children.size(); ++i) {
      add_keyed_link(level.children.at(std::to_string(i)),
                     [&](auto link) { this->append(std::move(link)); });
    }
  } else {
    for (const auto& [name, child] : level.children) {
      add_keyed_link(child, [&, &name = name](auto link) {
        this->add_link(name, std::move(link));
      });
    }
  }
}

}  // namespace internal

// A model made for what a file has: parameters and persistent values at these
// paths, of the dtypes and shapes of these arrays, all 1. A parameter whose
// array is undefined has no shape. Links whose children are called 0, 1, ...
// are a ChainList, others a Chain; one int64 without axes per link is a number,
// as Chainer's counters are.
class KeyedModel : public internal::KeyedLink<ChainBase> {
 public:
  explicit KeyedModel(const KeyedArrays& params,
                      const KeyedArrays& persistents = {})
      : KeyedLink(levels_of(params, persistents)) {}

  // What is there now. Throws ValueError where there is nothing of that path.
  Array at(const std::string& path) {
    const size_t slash = path.rfind('/');
    const bool is_root = slash == std::string::npos;
    const std::string name = is_root ? path : path.substr(slash + 1);
    for (const auto& [link_path, link] : namedlinks()) {
      if (link_path != (is_root ? "/" : "/" + path.substr(0, slash))) continue;
      if (const auto* number = dynamic_cast<const KeyedNumber*>(link);
          number != nullptr && number->key == name) {
        return array::array(number->value);
      }
      for (const auto& [param_path, param] : link->namedparams()) {
        if (param_path == "/" + name) return param.data();
      }
      return link->persistent(name);
    }
    raise<ValueError>("KeyedModel: there is no '", path, "'");
  }

 private:
  static internal::KeyedLevel levels_of(const KeyedArrays& params,
                                        const KeyedArrays& persistents) {
    internal::KeyedLevel root;
    for (const auto& [path, array] : params) {
      const auto [level, name] = root.find(path);
      level->params.emplace(name, array);
    }
    for (const auto& [path, array] : persistents) {
      const auto [level, name] = root.find(path);
      level->persistents.emplace(name, array);
    }
    return root;
  }
};

}  // namespace catena::testing
