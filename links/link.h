#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include "catena/autograd/parameter.h"
#include "catena/serializers/serializer.h"

namespace catena {

class Link;
class LinkHook;

// The current device if it is a GPU, else the first GPU.
inline Device current_gpu() {
  const Device device = current_device();
  return device.is_native() ? cuda_device() : device;
}

// How copies of links treat parameters: share, reinitialize or copy the arrays.
// Chainer's Link.copy modes.
using CopyMode = Parameter::CopyMode;

// Sets the mode for copies of links made in this scope. Outside any scope,
// arrays are copied, as with any C++ value.
class [[nodiscard]] CopyModeScope {
 public:
  explicit CopyModeScope(CopyMode mode);
  ~CopyModeScope();
  static CopyMode current();
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
// Without a shape it is initialized at the first use. A default-constructed
// Param is absent: it is not registered, and defined() is false. The
// constructor registers the member's address, so construct members in place and
// do not assign them: `b(nobias ? Param() : Param(this, "b", ...))`.
class Param : public Parameter {
 public:
  Param() = default;
  Param(Link* owner, std::string name, Initializer initializer,
        std::optional<Shape> shape = std::nullopt);

  Param(const Param& other);
  Param(Param&& other) = default;
  Param& operator=(const Param& other);
  Param& operator=(Param&& other) = default;

  // Replaces the parameter's variable and returns the old one, for link hooks
  // that substitute a weight during a call.
  Variable exchange(Variable other);

 private:
  friend class Link;
  explicit Param(Parameter parameter) : Parameter(std::move(parameter)) {}
};

// A persistent value that is no array.
using PersistentScalar = std::variant<int64_t, double, bool, std::string>;

// An array as a member of a link that is serialized but not optimized, such as
// a running mean. Copying the link copies it, or shares it under
// CopyMode::kShare.
class Persistent : public Array {
 public:
  Persistent() = default;
  Persistent(Link* owner, std::string name, Array value = {});

  Persistent(const Persistent& other);
  Persistent(Persistent&& other) = default;
  Persistent& operator=(const Persistent& other);
  Persistent& operator=(Persistent&& other) = default;
  // Replaces the array.
  Persistent& operator=(Array value);

 private:
  friend class Link;
  explicit Persistent(Array value) : Array(std::move(value)) {}
};

namespace internal {

// Where a link is, for what keeps its address, such as an optimizer.
struct LinkPlace {
  Link* link;  // null since `end`
  // "moved", "destroyed" or "assigned to": then these are other parameters.
  const char* end = nullptr;
};

// The part of a link by which Link::check_members() recognizes it among the
// bytes of an object that it is a member of.
class LiveLink {
 protected:
  LiveLink() : mark_(mark_at(this)) {}
  LiveLink(const LiveLink&) : LiveLink() {}
  LiveLink(LiveLink&& other) : LiveLink() { other.end_place("moved"); }
  LiveLink& operator=(const LiveLink&) {
    end_place("assigned to");
    return *this;
  }
  LiveLink& operator=(LiveLink&& other) noexcept {
    other.end_place("moved");
    return *this = std::as_const(other);
  }
  ~LiveLink() {
    end_place("destroyed");
    // volatile, since a compiler may leave out writes to what is destroyed.
    *const_cast<volatile uint64_t*>(&mark_) = 0;
  }

  void end_place(const char* end) noexcept {
    if (place_ == nullptr) return;
    *place_ = {.link = nullptr, .end = end};
    place_ = nullptr;
  }

  // What a live link at this address begins with, and nothing else does: a
  // pointer to itself, disguised.
  static uint64_t mark_at(const void* address) {
    return reinterpret_cast<uintptr_t>(address) ^ 0x9e3779b97f4a7c15;
  }

  uint64_t mark_;
  std::shared_ptr<LinkPlace> place_;  // null until someone asks for it
};
static_assert(std::is_standard_layout_v<LiveLink>);

}  // namespace internal

// A layer or model with parameters. Parameters are members (Param); child links
// are members of a Chain (Child) or elements of a ChainList or Sequential.
// Declaring them as members is all that copying, serialization, moving between
// devices and optimization need. Links are values: copying one gives an
// independent model.
//
// Members are registered by their offset in the object, which stays valid when
// the whole object is copied or moved.
class Link : private internal::LiveLink {
 public:
  virtual ~Link() = default;

  const std::string& name() const { return name_; }
  // The device that the link was created on or last moved to.
  Device device() const { return device_; }

  // All parameters of this link and its descendants with their paths, "/W" or
  // "/l1/W", optionally without uninitialized ones. In Chainer's order: a
  // link's own by name, then those of its children by name, of a list's by
  // position.
  std::vector<std::pair<std::string, Parameter>> namedparams(
      bool include_uninit = true) const;
  std::vector<Parameter> params(bool include_uninit = true) const;
  // The persistent arrays of this link and its descendants, in order of
  // registration.
  std::vector<Array*> persistents();
  // Their persistent values that are no arrays, to be set again when a step of
  // training is taken back.
  std::vector<PersistentScalar> persistent_scalars() const;
  // Throws ValueError unless the list fits the members.
  void set_persistent_scalars(std::span<const PersistentScalar> values);
  // Their states, such as the c and h of an LSTM, defined or not.
  std::vector<Variable*> states();
  // This link ("/") and all descendants with their paths.
  std::vector<std::pair<std::string, Link*>> namedlinks(bool skipself = false);
  std::vector<Link*> links(bool skipself = false);
  // The direct children.
  std::vector<Link*> children();
  // Whether this link or a descendant has an uninitialized parameter.
  bool has_uninitialized_params() const;
  // The total number of elements of all initialized parameters.
  int64_t count_params() const;

  void cleargrads() const;
  void zerograds() const;
  // Adds the gradients of a link with the same structure, or copies its
  // parameters and the persistent values that this link also has. Throws
  // ValueError when the structures differ.
  void addgrads(const Link& other) const;
  void copyparams(const Link& other) const;

  // Move parameters and persistent arrays, and return the link. Without an
  // argument, to_gpu() means the current device if that is a GPU, else the
  // first one.
  Link& to_device(Device device = current_device());
  Link& to_cpu() { return to_device(native_device()); }
  Link& to_gpu() { return to_device(current_gpu()); }
  Link& to_gpu(int index) { return to_device(cuda_device(index)); }

  // Turns the weights of convolutions so that their channels are last in memory
  // (array/channels_last.h). Shapes and values stay, and so do files, which are
  // in C order; copies of the link, optimizers' states and, on GPUs, gradients
  // follow. Call it before Optimizer::setup. For GPUs and images whose channels
  // are last: convolutions of those then copy no weights.
  void to_channels_last();

  // Throws ValueError when this link or a descendant has a link as a member
  // that is not registered as a child, such as `L::Linear l1` instead of
  // `Child<L::Linear> l1`: it would not be trained, saved or moved. Called by
  // Optimizer::setup.
  void check_members();
  // The size of the object for check_members(), where its type is known.
  void set_object_size(size_t bytes) { object_size_ = bytes; }

  // Tells who keeps the link's address when it is no longer there.
  std::shared_ptr<const internal::LinkPlace> place();

  // Freezes all parameters, or unfreezes them: backward passes then compute no
  // gradients of them, none are stored, and optimizers have neither states of
  // them nor update them; a link whose input needs no gradient either is not
  // even recorded. What links learn in another way, such as running statistics,
  // goes on changing in training. Optimizers need not be set up, and files and
  // copies are as without it, but copies are frozen, too. Both take effect from
  // the next forward pass on.
  void freeze() const;
  void unfreeze() const;
  // Whether there are parameters, and all are frozen.
  bool is_frozen() const;

  // Enables or disables the update rules of all parameters: gradients are
  // computed as before, and only the step is left out, unlike after freeze().
  // Throws ValueError when none has one, since Optimizer::setup, which comes
  // first, gives them.
  void enable_update() const;
  void disable_update() const;
  bool update_enabled() const;

  // Reads or writes parameters and persistent values, then children.
  virtual void serialize(const Serializer& serializer);

  // Add a parameter or a persistent array at run time; the usual way is to
  // declare members (Param, Persistent). Throw ValueError when the name is
  // taken. remove_value removes what they added.
  Parameter add_param(std::string name, Initializer initializer,
                      std::optional<Shape> shape = std::nullopt);
  void add_persistent_value(std::string name, Array value);
  void remove_value(std::string_view name);
  // This link's parameter or persistent array by name. Throws ValueError when
  // there is none.
  Param& param(std::string_view name) const;
  Array& persistent(std::string_view name) const;
  // Whether this link has a parameter or persistent array of that name.
  bool has_value(std::string_view name) const;

  // Hooks around each call of this link; see link_hook.h. Copies of the link
  // share them. The name defaults to the hook's; two timers need different
  // ones. Throw ValueError when the name exists (add) or is unknown (delete).
  void add_hook(std::shared_ptr<LinkHook> hook, std::string name = {});
  void delete_hook(std::string_view name);
  const std::vector<std::shared_ptr<LinkHook>>& local_link_hooks() const {
    return hooks_;
  }

 protected:
  Link() = default;
  // Protected to prevent slicing.
  Link(const Link&) = default;
  Link(Link&&) = default;
  Link& operator=(const Link&) = default;
  Link& operator=(Link&&) = default;

  // Registers a member that is serialized but not optimized: an array, a number
  // or text. Copies of the link share the array; use a Persistent member to
  // copy it. For other values override serialize, calling that of the base,
  // too.
  void add_persistent(std::string name, Array& member);
  void add_persistent(std::string name, int64_t& member);
  void add_persistent(std::string name, double& member);
  void add_persistent(std::string name, bool& member);
  void add_persistent(std::string name, std::string& member);

  // Override to show variables that the link keeps from call to call besides
  // parameters and persistent arrays, such as the h of a recurrent link: they
  // move with the link, and captured training steps carry them on. Children are
  // visited separately.
  using StateVisitor = std::function<void(Variable& state)>;
  virtual void visit_state(const StateVisitor& /*visit*/) {}

  // Override to show the parameters that are weights of convolutions, for
  // to_channels_last(). Children are visited separately.
  using FilterVisitor = std::function<void(const Parameter& filter)>;
  virtual void visit_filters(const FilterVisitor& /*visit*/) {}

  // Override to put parameters next to each other in memory, or the like, as
  // their device wants them. to_device() calls it after moving them. Children
  // are visited separately.
  virtual void arrange_params() {}

  // Calls visit(name, child) for each child in order.
  using ChildVisitor = std::function<void(const std::string&, Link&)>;
  virtual void visit_children(const ChildVisitor& /*visit*/) {}
  // For containers: sets the name of an element.
  static void set_name(Link& link, std::string name) {
    link.name_ = std::move(name);
  }
  // The member `offset` bytes from this Link.
  void* member_at(ptrdiff_t offset) const;
  ptrdiff_t offset_of(const void* member) const;

 private:
  friend class Param;
  friend class Persistent;

  enum class MemberKind : uint8_t {
    kParameter,
    kArray,
    kInteger,
    kReal,
    kBool,
    kText
  };
  struct Member {
    std::string name;
    MemberKind kind;
    ptrdiff_t offset;
  };

  void add_member(std::string name, MemberKind kind, const void* member);
  void check_name(std::string_view name) const;
  void set_update_enabled(std::string_view operation, bool enabled) const;
  void copy_persistents(const Link& other) const;
  // The member of that type and name, or null.
  template <class T>
  T* find(std::string_view name) const;
  template <class T>
  [[noreturn]] void throw_unknown_member(std::string_view kind,
                                         std::string_view name) const;
  // The members of that type of this link and its descendants.
  template <class T>
  std::vector<T*> members();
  template <class Visit>
  void for_each_unnamed_link(const Visit& visit);
  template <class Visit>
  void for_each_link(const std::string& path, const Visit& visit);
  void append_params(const std::string& path, bool include_uninit,
                     std::vector<std::pair<std::string, Parameter>>& params);
  // Calls visit(name, param), visit(name, array), visit(name, number) ...
  template <class Visit>
  void for_each_member(const Visit& visit) const;
  template <class Visit>
  void for_each_scalar(const Visit& visit);

  std::string name_;
  Device device_ = current_device();
  size_t object_size_ = 0;  // 0: unknown
  std::vector<Member> members_;
  // Values added at run time.
  std::vector<std::pair<std::string, Param>> owned_params_;
  std::vector<std::pair<std::string, Persistent>> owned_arrays_;
  std::vector<std::shared_ptr<LinkHook>> hooks_;
  std::vector<std::string> hook_names_;
};

}  // namespace catena
