#pragma once

#include <concepts>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "catena/array/array.h"

namespace catena {

// One entry of a serialized tree: none, an array (0-d for numbers), or text.
using SerializedValue = std::variant<std::monostate, Array, std::string>;

// The kind of an entry in messages: "none", "text" or "float32 of shape (2,
// 3)".
std::string describe(const SerializedValue& value);

// The implementation of a Serializer: a tree being written or read. Keys are
// paths such as "predictor/l1/W".
class SerializerBackend {
 public:
  virtual ~SerializerBackend() = default;
  virtual bool is_writer() const = 0;
  // Adds a value.
  virtual void write(const std::string& path, SerializedValue value) = 0;
  // The entry, or null when there is none.
  virtual const SerializedValue* read(const std::string& path) = 0;
  // Whether a missing entry is an error.
  virtual bool is_strict(const std::string& path) const = 0;
  // The name of the source or destination in error messages.
  virtual std::string name() const = 0;
  // The existing keys, for messages about missing ones; empty if unknown.
  virtual std::vector<std::string> keys() const { return {}; }
};

// Passed to serialize(serializer) of links, optimizers, iterators, extensions
// and the trainer, which name each of their values: the same code writes and
// reads. Reading takes two steps, so that a mismatched file changes nothing:
// first all entries are found and checked; then, if nothing failed, commit()
// makes the assignments.
//
//   void serialize(const Serializer& serializer) override {
//     serializer("epoch", epoch_);
//     rule_->serialize(serializer["rule"]);
//   }
class Serializer {
 public:
  // The root of a tree.
  explicit Serializer(SerializerBackend& backend);

  // The subtree of a key.
  Serializer operator[](std::string_view key) const;

  bool is_writer() const { return backend_->is_writer(); }
  // The path of a key in the file: "updater/iteration".
  std::string path_of(std::string_view key) const;

  // Numbers and text. Throws IoError naming source, key, expected and actual
  // when the entry is missing, has the wrong type, is out of range or is not a
  // whole number.
  template <std::integral T>
  void operator()(std::string_view key, T& value) const {
    if (is_writer()) return write_number(key, Scalar(value));
    if (const auto number = read_number(key, dtype_of<T>)) {
      on_commit([&value, v = number->template as<T>()] { value = v; });
    }
  }
  template <std::floating_point T>
  void operator()(std::string_view key, T& value) const {
    if (is_writer()) return write_number(key, Scalar(value));
    if (const auto number = read_number(key, dtype_of<T>)) {
      on_commit([&value, v = number->template as<T>()] { value = v; });
    }
  }
  void operator()(std::string_view key, std::string& value) const;

  // Arrays. A defined array is filled in place; the entry must have its shape
  // and a dtype that casts to its dtype within a kind. An undefined array is
  // replaced by the entry. An undefined array is written as none; reading none
  // leaves the array unchanged.
  void operator()(std::string_view key, Array& value) const;

  // Like operator(), but a missing entry leaves the value unchanged even in
  // strict mode: for entries that files from other programs lack.
  template <class T>
  void optional(std::string_view key, T& value) const {
    if (is_writer() || contains(key)) (*this)(key, value);
  }

  // Reading: a number that needs more checks before on_commit; same errors as
  // operator(). nullopt if it is missing and not required.
  template <class T>
  requires std::is_arithmetic_v<T> std::optional<T> number(std::string_view key)
  const {
    const auto number = read_number(key, dtype_of<T>);
    return number ? std::optional<T>(number->template as<T>()) : std::nullopt;
  }

  // For values with a custom representation. read() returns null for a missing
  // entry that is not required; check the entry at once and assign it in
  // on_commit, which must do nothing that can fail: an exception would leave
  // the assignments after it unmade.
  void write(std::string_view key, SerializedValue value) const;
  const SerializedValue* read(std::string_view key) const;
  bool contains(std::string_view key) const;
  void on_commit(std::function<void()> assignment) const;

  // Makes the assignments. Called by the creator of the root.
  void commit() const;

  // Throws IoError: "load: FILE: KEY: expected ..., got ...".
  [[noreturn]] void fail(std::string_view key, std::string_view expected,
                         std::string_view actual) const;

 private:
  void write_number(std::string_view key, Scalar value) const;
  std::optional<Scalar> read_number(std::string_view key, Dtype dtype) const;

  SerializerBackend* backend_;
  std::string path_;
  std::shared_ptr<std::vector<std::function<void()>>> assignments_;
};

}  // namespace catena
