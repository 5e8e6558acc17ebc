#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "catena/autograd/parameter.h"
#include "catena/serializers/serializer.h"

namespace catena {

class Link;
class LinkHook;

// How copies of links treat parameters: share the arrays, initialize anew, or
// copy the arrays. Chainer's Link.copy modes.
using CopyMode = Parameter::CopyMode;

// What a copy of a link made in this scope does with parameters. Outside any
// scope a copy copies the arrays, as C++ values do.
class [[nodiscard]] CopyModeScope {
 public:
  explicit CopyModeScope(CopyMode mode);
  ~CopyModeScope();
  CopyModeScope(const CopyModeScope&) = delete;
  CopyModeScope& operator=(const CopyModeScope&) = delete;

 private:
  CopyMode previous_;
};

// A parameter as a member of a link:
//
//   class Scale : public Link {
//    public:
//     explicit Scale(int64_t n) : W(this, "W", 1.0, Shape{n}) {}
//     Param W;
//   };
//
// Without a shape it is initialized at the first use. A default-constructed one
// is absent: not registered, defined() is false. The constructor notes the
// address of the member, so initialize members with it and do not assign it:
// `b(nobias ? Param() : Param(this, "b", ...))`.
class Param : public Parameter {
 public:
  Param() = default;
  Param(Link* owner, std::string name, Initializer initializer,
        std::optional<Shape> shape = std::nullopt);

  Param(const Param& other);
  Param(Param&& other) = default;
  Param& operator=(const Param& other);
  Param& operator=(Param&& other) = default;

  // Puts another variable in the parameter's place and returns what was there:
  // for link hooks, which compute a weight for the time of a call.
  Variable exchange(Variable other);

 private:
  friend class Link;
  explicit Param(Parameter parameter) : Parameter(std::move(parameter)) {}
};

// An array as a member of a link that is saved with it but not optimized, such
// as a running mean. As parameters do, a copy of the link gets a copy of it,
// or, in a scope of CopyMode::kShare, shares it.
class Persistent : public Array {
 public:
  Persistent() = default;
  Persistent(Link* owner, std::string name, Array value = {});

  Persistent(const Persistent& other);
  Persistent(Persistent&& other) = default;
  Persistent& operator=(const Persistent& other);
  Persistent& operator=(Persistent&& other) = default;
  // Another array takes its place.
  Persistent& operator=(Array value);

 private:
  friend class Link;
  explicit Persistent(Array value) : Array(std::move(value)) {}
};

// A building block with parameters. Parameters are members (Param), child links
// are members of a Chain (Child) or elements of a ChainList or Sequential;
// naming them as members is all it takes for copying, serialization, moves
// between devices and optimization to find them. Links are values: copying one
// gives an independent model.
//
// Members are registered by their offset in the object, which a copy or move
// of the whole object keeps.
class Link {
 public:
  virtual ~Link() = default;

  const std::string& name() const { return name_; }
  // Where the link was made or moved to last.
  Device device() const { return device_; }

  // Every parameter below this link with its path, "/W" or "/l1/W", in the
  // order of registration; without those that have no shape yet, if asked.
  std::vector<std::pair<std::string, Parameter>> namedparams(
      bool include_uninit = true) const;
  std::vector<Parameter> params(bool include_uninit = true) const;
  // This link ("/") and every one below with its path.
  std::vector<std::pair<std::string, Link*>> namedlinks(bool skipself = false);
  std::vector<Link*> links(bool skipself = false);
  // The links one step below.
  std::vector<Link*> children();
  // Whether a parameter below this link has no shape yet.
  bool has_uninitialized_params() const;
  // The number of elements of all initialized parameters.
  int64_t count_params() const;

  void cleargrads() const;
  void zerograds() const;
  // Adds the gradients of a link of the same structure, or copies its
  // parameters and those persistent values that this link has too. ValueError
  // if the structures differ.
  void addgrads(const Link& other) const;
  void copyparams(const Link& other) const;

  // Moves parameters and persistent arrays.
  void to_device(Device device);
  void to_cpu() { to_device(native_device()); }
  void to_gpu(int index = 0) { to_device(cuda_device(index)); }

  // Lets the update rules of all parameters work, or rest.
  void enable_update() const;
  void disable_update() const;
  bool update_enabled() const;

  // Reads or writes parameters and persistent values, then children.
  virtual void serialize(const Serializer& serializer);

  // Adds a parameter, or a saved array that is not optimized, at run time;
  // members (Param, Persistent) are the usual way. ValueError when the name is
  // taken. remove_value takes away what these added.
  Parameter add_param(std::string name, Initializer initializer,
                      std::optional<Shape> shape = std::nullopt);
  void add_persistent_value(std::string name, Array value);
  void remove_value(std::string_view name);
  // This link's parameter or persistent array by name. ValueError when there is
  // none.
  Param& param(std::string_view name) const;
  Array& persistent(std::string_view name) const;
  // Whether there is either.
  bool has_value(std::string_view name) const;

  // Hooks around each call of this link, see link_hook.h. Copies of the link
  // share them. ValueError if the name exists (add) or is
  // unknown (delete).
  void add_hook(std::shared_ptr<LinkHook> hook);
  void delete_hook(std::string_view name);
  const std::vector<std::shared_ptr<LinkHook>>& local_link_hooks() const {
    return hooks_;
  }

 protected:
  Link() = default;
  // Protected, so that a link is not sliced to its base.
  Link(const Link&) = default;
  Link(Link&&) = default;
  Link& operator=(const Link&) = default;
  Link& operator=(Link&&) = default;

  // Registers a member array or number that is saved but not optimized. Copies
  // of the link refer to the same array; a member of type Persistent gets one
  // of its own.
  void add_persistent(std::string name, Array& member);
  void add_persistent(std::string name, int64_t& member);

  // Moves what the link holds besides parameters and persistent arrays, such as
  // the state of a recurrent link; children are not its concern.
  virtual void move_state(Device /*device*/) {}

  // Calls visit(name, child) for each child in order.
  using ChildVisitor = std::function<void(const std::string&, Link&)>;
  virtual void visit_children(const ChildVisitor& /*visit*/) {}
  // For containers: what their elements are called.
  static void set_name(Link& link, std::string name) {
    link.name_ = std::move(name);
  }
  // The part of this object that lies `offset` bytes from its Link.
  void* member_at(ptrdiff_t offset) const;
  ptrdiff_t offset_of(const void* member) const;

 private:
  friend class Param;
  friend class Persistent;

  enum class MemberKind : uint8_t { kParameter, kArray, kNumber };
  struct Member {
    std::string name;
    MemberKind kind;
    ptrdiff_t offset;
  };

  void add_member(std::string name, MemberKind kind, const void* member);
  void check_name(std::string_view name) const;
  void copy_persistents(const Link& other) const;
  // The member of that type and name, or null.
  template <class T>
  T* find(std::string_view name) const;
  template <class Visit>
  void for_each_link(const std::string& path, const Visit& visit);
  // Calls visit(name, param), visit(name, array), visit(name, number).
  template <class Visit>
  void for_each_member(const Visit& visit) const;

  std::string name_;
  Device device_ = current_device();
  std::vector<Member> members_;
  // What was added at run time.
  std::vector<std::pair<std::string, Param>> owned_params_;
  std::vector<std::pair<std::string, Persistent>> owned_arrays_;
  std::vector<std::shared_ptr<LinkHook>> hooks_;
};

}  // namespace catena
