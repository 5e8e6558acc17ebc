#pragma once

namespace catena {

// Parameters that are initialized in this scope, on its thread, keep what their
// memory holds: for those that a file fills next.
class [[nodiscard]] UnfilledParameters {
 public:
  UnfilledParameters();
  ~UnfilledParameters();
  UnfilledParameters(const UnfilledParameters&) = delete;
  UnfilledParameters& operator=(const UnfilledParameters&) = delete;

  static bool is_active();

 private:
  bool previous_;
};

}  // namespace catena
