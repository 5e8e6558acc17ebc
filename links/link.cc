#include "catena/links/link.h"

#include <algorithm>
#include <atomic>
#include <cstring>
#include <functional>
#include <memory>
#include <new>
#include <set>
#include <typeinfo>

#include "catena/array/core/error.h"
#include "catena/array/core/memory_errors.h"
#include "catena/array/core/name_list.h"
#include "catena/array/core/warn_once.h"
#include "catena/autograd/class_name.h"
#include "catena/autograd/config.h"
#include "catena/links/link_hook.h"

namespace catena {
namespace {

bool is_digit(char c) { return c >= '0' && c <= '9'; }

using Children = std::vector<std::pair<std::string, Link*>>;

// The children that `visit_all` visits, by name; those of a list or Sequential,
// "0", "2", ..., "10", in order.
template <class VisitAll>
Children children_in_order(const VisitAll& visit_all) {
  Children children;
  visit_all([&](const std::string& name, Link& child) {
    children.emplace_back(name, &child);
  });
  const auto number = [](const auto& child) {
    return std::pair(child.first.size(), std::string_view(child.first));
  };
  const bool is_list =
      std::ranges::all_of(children,
                          [](const auto& child) {
                            return std::ranges::all_of(child.first, is_digit);
                          }) &&
      std::ranges::is_sorted(children, {}, number);
  if (!is_list) std::ranges::sort(children);
  return children;
}

constinit thread_local CopyMode copy_mode = CopyMode::kCopy;

constinit std::atomic<uint64_t> hook_changes = 0;

}  // namespace

std::shared_ptr<const internal::LinkPlace> Link::place() {
  if (place_ == nullptr) {
    place_ = std::make_shared<internal::LinkPlace>(
        internal::LinkPlace{.link = this});
  }
  return place_;
}

void Link::check_members() {
  const std::vector<Link*> registered = links();
  std::set<const void*> known;
  for (Link* link : registered) known.insert(static_cast<LiveLink*>(link));
  // Descendants first, so that the message names the member's direct owner.
  for (auto at = registered.rbegin(); at != registered.rend(); ++at) {
    const Link* const link = *at;
    const auto* const begin =
        static_cast<const char*>(dynamic_cast<const void*>(link));
    const auto* const end = begin + link->object_size_;
    for (const char* p = begin; p + sizeof(LiveLink) <= end;
         p += alignof(LiveLink)) {
      uint64_t mark = 0;
      std::memcpy(&mark, p, sizeof(mark));
      if (mark != mark_at(p) || known.contains(p)) continue;
      const auto& found = static_cast<const Link&>(
          *std::launder(reinterpret_cast<const LiveLink*>(p)));
      const std::string member = qualified_class_name(typeid(found));
      raise<ValueError>("setup: ", qualified_class_name(typeid(*link)),
                        " has a member of type ", member,
                        " that is not registered as a child; declare it as "
                        "Child<",
                        member, "> and pass it `this` and a name");
    }
  }
}

CopyModeScope::CopyModeScope(CopyMode mode)
    : previous_(std::exchange(copy_mode, mode)) {}

CopyModeScope::~CopyModeScope() { copy_mode = previous_; }

CopyMode CopyModeScope::current() { return copy_mode; }

Param::Param(Link* owner, std::string name, Initializer initializer,
             std::optional<Shape> shape)
    : Parameter(std::move(initializer), shape, name) {
  owner->add_member(std::move(name), Link::MemberKind::kParameter, this);
}

Param::Param(const Param& other)
    : Parameter(other.defined() ? other.clone(copy_mode) : Parameter()) {}

Param& Param::operator=(const Param& other) { return *this = Param(other); }

Variable Param::exchange(Variable other) {
  return std::exchange(static_cast<Variable&>(*this), std::move(other));
}

Persistent::Persistent(Link* owner, std::string name, Array value)
    : Array(std::move(value)) {
  owner->add_persistent(std::move(name), *this);
}

Persistent::Persistent(const Persistent& other)
    : Array(other.defined() && copy_mode != CopyMode::kShare
                ? other.copy()
                : static_cast<const Array&>(other)) {}

Persistent& Persistent::operator=(const Persistent& other) {
  return *this = Persistent(other);
}

Persistent& Persistent::operator=(Array value) {
  return *this = Persistent(std::move(value));
}

bool Link::has_value(std::string_view name) const {
  const auto is_it = [&](const auto& entry) { return entry.first == name; };
  return std::ranges::any_of(members_,
                             [&](const Member& m) { return m.name == name; }) ||
         std::ranges::any_of(owned_params_, is_it) ||
         std::ranges::any_of(owned_arrays_, is_it);
}

void Link::check_name(std::string_view name) const {
  if (has_value(name)) {
    raise<ValueError>("Link: a member named '", name, "' already exists");
  }
}

void Link::add_member(std::string name, MemberKind kind, const void* member) {
  check_name(name);
  members_.push_back({std::move(name), kind, offset_of(member)});
}

Parameter Link::add_param(std::string name, Initializer initializer,
                          std::optional<Shape> shape) {
  check_name(name);
  const DeviceScope scope(device_);
  Parameter parameter(std::move(initializer), shape, name);
  owned_params_.emplace_back(std::move(name), Param(parameter));
  return parameter;
}

void Link::add_persistent_value(std::string name, Array value) {
  check_name(name);
  owned_arrays_.emplace_back(std::move(name), Persistent(std::move(value)));
}

void Link::remove_value(std::string_view name) {
  const auto is_it = [&](const auto& entry) { return entry.first == name; };
  if (std::erase_if(owned_params_, is_it) +
          std::erase_if(owned_arrays_, is_it) ==
      0) {
    std::vector<std::string> names = array::names_of(owned_params_);
    for (const auto& entry : owned_arrays_) names.push_back(entry.first);
    array::throw_unknown_name("Link", "a value that was added at run time",
                              names, name);
  }
}

template <class Visit>
void Link::for_each_member(const Visit& visit) const {
  for (const Member& member : members_) {
    void* at = member_at(member.offset);
    switch (member.kind) {
      case MemberKind::kParameter:
        visit(member.name, *static_cast<Param*>(at));
        break;
      case MemberKind::kArray:
        visit(member.name, *static_cast<Array*>(at));
        break;
      case MemberKind::kInteger:
        visit(member.name, *static_cast<int64_t*>(at));
        break;
      case MemberKind::kReal:
        visit(member.name, *static_cast<double*>(at));
        break;
      case MemberKind::kBool:
        visit(member.name, *static_cast<bool*>(at));
        break;
      case MemberKind::kText:
        visit(member.name, *static_cast<std::string*>(at));
        break;
    }
  }
  // Members are mutable through a const link, like handles.
  auto& self = const_cast<Link&>(*this);
  for (auto& [name, param] : self.owned_params_) visit(name, param);
  for (auto& [name, array] : self.owned_arrays_) {
    visit(name, static_cast<Array&>(array));
  }
}

template <class T>
T* Link::find(std::string_view name) const {
  T* found = nullptr;
  for_each_member([&](std::string_view other, auto& value) {
    if constexpr (std::is_same_v<decltype(value), T&>) {
      if (other == name) found = &value;
    }
  });
  return found;
}

template <class T>
void Link::throw_unknown_member(std::string_view kind,
                                std::string_view name) const {
  std::vector<std::string> names;
  for_each_member([&](std::string_view other, auto& value) {
    if constexpr (std::is_same_v<decltype(value), T&>) {
      names.emplace_back(other);
    }
  });
  array::throw_unknown_name("Link", kind, names, name);
}

Param& Link::param(std::string_view name) const {
  if (auto* found = find<Param>(name)) return *found;
  throw_unknown_member<Param>("a parameter", name);
}

Array& Link::persistent(std::string_view name) const {
  if (auto* found = find<Array>(name)) return *found;
  throw_unknown_member<Array>("a persistent array", name);
}

uint64_t internal::link_hook_changes() {
  return hook_changes.load(std::memory_order_relaxed);
}

void Link::add_hook(std::shared_ptr<LinkHook> hook, std::string name) {
  if (name.empty()) name = hook->name();
  if (std::ranges::find(hook_names_, name) != hook_names_.end()) {
    raise<ValueError>("Link: a hook named '", name, "' already exists");
  }
  hook->added(this);
  hook_names_.push_back(std::move(name));
  hooks_.push_back(std::move(hook));
  hook_changes.fetch_add(1, std::memory_order_relaxed);
}

void Link::delete_hook(std::string_view name) {
  const auto it = std::ranges::find(hook_names_, name);
  if (it == hook_names_.end()) {
    array::throw_unknown_name("Link", "a hook", hook_names_, name);
  }
  const auto hook = hooks_.begin() + (it - hook_names_.begin());
  (*hook)->deleted(this);
  hooks_.erase(hook);
  hook_names_.erase(it);
  hook_changes.fetch_add(1, std::memory_order_relaxed);
}

ptrdiff_t Link::offset_of(const void* member) const {
  return static_cast<const char*>(member) - reinterpret_cast<const char*>(this);
}

void* Link::member_at(ptrdiff_t offset) const {
  return const_cast<char*>(reinterpret_cast<const char*>(this)) + offset;
}

void Link::add_persistent(std::string name, Array& member) {
  add_member(std::move(name), MemberKind::kArray, &member);
}

void Link::add_persistent(std::string name, int64_t& member) {
  add_member(std::move(name), MemberKind::kInteger, &member);
}

void Link::add_persistent(std::string name, double& member) {
  add_member(std::move(name), MemberKind::kReal, &member);
}

void Link::add_persistent(std::string name, bool& member) {
  add_member(std::move(name), MemberKind::kBool, &member);
}

void Link::add_persistent(std::string name, std::string& member) {
  add_member(std::move(name), MemberKind::kText, &member);
}

template <class Visit>
void Link::for_each_link(const std::string& path, const Visit& visit) {
  visit(path, *this);
  visit_children([&](const std::string& name, Link& child) {
    child.for_each_link(path + "/" + name, visit);
  });
}

std::vector<std::pair<std::string, Parameter>> Link::namedparams(
    bool include_uninit) const try {
  std::vector<std::pair<std::string, Parameter>> result;
  // Traversal changes nothing; visit_children is not const because it hands out
  // mutable links.
  const_cast<Link*>(this)->append_params("", include_uninit, result);
  return result;
} catch (const std::bad_alloc&) {
  raise_out_of_memory("namedparams");
}

void Link::append_params(
    const std::string& path, bool include_uninit,
    std::vector<std::pair<std::string, Parameter>>& params) {
  const auto first = static_cast<ptrdiff_t>(params.size());
  for_each_member([&](const std::string& name, auto& member) {
    if constexpr (std::is_same_v<decltype(member), Param&>) {
      if (include_uninit || member.is_initialized()) {
        params.emplace_back(path + "/" + name, member);
      }
    }
  });
  std::ranges::sort(params.begin() + first, params.end(), std::less<>(),
                    &std::pair<std::string, Parameter>::first);
  for (const auto& [name, child] : children_in_order(
           [this](const auto& visit) { visit_children(visit); })) {
    child->append_params(path + "/" + name, include_uninit, params);
  }
}

// In the order of namedparams, without the paths, which take longer than the
// walk.
std::vector<Parameter> Link::params(bool include_uninit) const try {
  std::vector<Parameter> result;
  const auto append = [&](const auto& self, Link& link) -> void {
    std::vector<std::pair<std::string_view, const Param*>> own;
    link.for_each_member([&](const std::string& name, auto& member) {
      if constexpr (std::is_same_v<decltype(member), Param&>) {
        if (include_uninit || member.is_initialized()) {
          own.emplace_back(name, &member);
        }
      }
    });
    std::ranges::sort(own);
    for (const auto& [name, param] : own) result.push_back(*param);
    for (const auto& [name, child] : children_in_order(
             [&](const auto& visit) { link.visit_children(visit); })) {
      self(self, *child);
    }
  };
  append(append, const_cast<Link&>(*this));  // as in namedparams
  return result;
} catch (const std::bad_alloc&) {
  raise_out_of_memory("params");
}

// Without the paths, which take longer than the walk.
template <class Visit>
void Link::for_each_unnamed_link(const Visit& visit) {
  visit(*this);
  visit_children([&](const std::string&, Link& child) {
    child.for_each_unnamed_link(visit);
  });
}

template <class T>
std::vector<T*> Link::members() {
  std::vector<T*> result;
  for_each_unnamed_link([&](Link& link) {
    link.for_each_member([&](const std::string&, auto& member) {
      if constexpr (std::is_same_v<decltype(member), T&>) {
        result.push_back(&member);
      }
    });
  });
  return result;
}

std::vector<Array*> Link::persistents() { return members<Array>(); }

template <class Visit>
void Link::for_each_scalar(const Visit& visit) {
  for_each_unnamed_link([&](Link& link) {
    link.for_each_member([&](const std::string&, auto& member) {
      using T = std::remove_reference_t<decltype(member)>;
      if constexpr (std::is_constructible_v<PersistentScalar, T>) visit(member);
    });
  });
}

std::vector<PersistentScalar> Link::persistent_scalars() const {
  std::vector<PersistentScalar> result;
  // Traversal changes nothing.
  const_cast<Link*>(this)->for_each_scalar(
      [&](const auto& member) { result.emplace_back(member); });
  return result;
}

void Link::set_persistent_scalars(std::span<const PersistentScalar> values) {
  size_t count = 0;
  bool fits = true;
  for_each_scalar([&](const auto& member) {
    using T = std::remove_cvref_t<decltype(member)>;
    fits = fits && count < values.size() &&
           std::holds_alternative<T>(values[count]);
    ++count;
  });
  if (!fits || count != values.size()) {
    raise<ValueError>("set_persistent_scalars: expected ", count,
                      " values of the members' kinds, got ", values.size());
  }
  size_t next = 0;
  for_each_scalar([&](auto& member) {
    member = std::get<std::remove_cvref_t<decltype(member)>>(values[next++]);
  });
}

std::vector<Variable*> Link::states() {
  std::vector<Variable*> result;
  for_each_unnamed_link([&](Link& link) {
    link.visit_state([&](Variable& state) { result.push_back(&state); });
  });
  return result;
}

std::vector<std::pair<std::string, Link*>> Link::namedlinks(bool skipself) try {
  std::vector<std::pair<std::string, Link*>> result;
  for_each_link("", [&](const std::string& path, Link& link) {
    if (path.empty() && skipself) return;
    result.emplace_back(path.empty() ? "/" : path, &link);
  });
  return result;
} catch (const std::bad_alloc&) {
  raise_out_of_memory("namedlinks");
}

std::vector<Link*> Link::links(bool skipself) {
  std::vector<Link*> result;
  for (const auto& [path, link] : namedlinks(skipself)) result.push_back(link);
  return result;
}

std::vector<Link*> Link::children() try {
  std::vector<Link*> result;
  visit_children(
      [&](const std::string&, Link& child) { result.push_back(&child); });
  return result;
} catch (const std::bad_alloc&) {
  raise_out_of_memory("children");
}

bool Link::has_uninitialized_params() const {
  return params().size() != params(/*include_uninit=*/false).size();
}

int64_t Link::count_params() const {
  int64_t count = 0;
  for (const Parameter& param : params(/*include_uninit=*/false)) {
    count += param.size();
  }
  return count;
}

void Link::cleargrads() const {
  for (const Parameter& param : params()) param.cleargrad();
}

void Link::zerograds() const {
  for (const Parameter& param : params(/*include_uninit=*/false)) {
    param.zerograd();
  }
}

namespace {

// The paired parameters of two links of the same structure.
std::vector<std::pair<Parameter, Parameter>> matching_params(
    const Link& to, const Link& from, std::string_view operation) {
  const auto ours = to.namedparams();
  const auto theirs = from.namedparams();
  bool same = ours.size() == theirs.size();
  std::vector<std::pair<Parameter, Parameter>> pairs;
  for (size_t i = 0; same && i < ours.size(); ++i) {
    same = ours[i].first == theirs[i].first;
    pairs.emplace_back(ours[i].second, theirs[i].second);
  }
  if (!same) {
    raise<ValueError>(operation, ": expected a link with the same parameters");
  }
  return pairs;
}

}  // namespace

void Link::addgrads(const Link& other) const {
  for (const auto& [to, from] : matching_params(*this, other, "addgrads")) {
    if (to.is_initialized() && from.is_initialized() && !to.is_frozen()) {
      to.addgrad(from);
    }
  }
}

void Link::copyparams(const Link& other) const {
  const auto pairs = matching_params(*this, other, "copyparams");
  for (const auto& [to, from] : pairs) {
    if (to.is_initialized() && from.is_initialized() &&
        to.shape() != from.shape()) {
      raise<ShapeError>("copyparams: expected shape ", to.shape(), " for ",
                        to.name(), ", got ", from.shape());
    }
  }
  for (const auto& [to, from] : pairs) {
    if (from.is_initialized()) to.copydata(from);
  }
  // Traversal does not change the other link.
  const auto ours = const_cast<Link*>(this)->namedlinks();
  const auto theirs = const_cast<Link&>(other).namedlinks();
  for (size_t i = 0; i < std::min(ours.size(), theirs.size()); ++i) {
    ours[i].second->copy_persistents(*theirs[i].second);
  }
}

void Link::copy_persistents(const Link& other) const {
  for_each_member([&](const std::string& name, auto& member) {
    using T = std::remove_reference_t<decltype(member)>;
    if constexpr (!std::is_same_v<T, Param>) {
      const T* from = other.find<T>(name);
      if (from == nullptr) return;
      if constexpr (std::is_same_v<T, Array>) {
        if (from->defined()) member = from->copy().to_device(device_);
      } else {
        member = *from;
      }
    }
  });
}

Link& Link::to_device(Device device) {
  require_device(device, "Link::to_device");
  for (const Parameter& param : params()) param.to_device(device);
  for_each_link("", [&](const std::string&, Link& link) {
    link.device_ = device;
    link.visit_state([device](const Variable& state) {
      if (state.defined()) state.to_device(device);
    });
    link.for_each_member([&](const std::string&, auto& member) {
      if constexpr (std::is_same_v<decltype(member), Array&>) {
        if (member.defined()) member = member.to_device(device);
      }
    });
    link.arrange_params();
  });
  return *this;
}

void Link::to_channels_last() {
  for_each_link("", [](const std::string&, Link& link) {
    link.visit_filters(
        [](const Parameter& filter) { filter.to_channels_last(); });
  });
}

void Link::freeze() const {
  for (const Parameter& param : params()) param.freeze();
}

void Link::unfreeze() const {
  for (const Parameter& param : params()) param.unfreeze();
}

bool Link::is_frozen() const {
  const std::vector<Parameter> all = params();
  return !all.empty() && std::ranges::all_of(all, &Parameter::is_frozen);
}

void Link::enable_update() const { set_update_enabled("enable_update", true); }

void Link::disable_update() const {
  set_update_enabled("disable_update", false);
}

void Link::set_update_enabled(std::string_view operation, bool enabled) const {
  const std::vector<Parameter> all = params();
  bool found = all.empty();
  for (const Parameter& param : all) {
    if (const auto& rule = param.update_rule()) {
      rule->set_enabled(enabled);
      found = true;
    }
  }
  if (!found) {
    raise<ValueError>(operation,
                      ": expected a call after the optimizer's setup(), which "
                      "gives parameters their update rules");
  }
}

bool Link::update_enabled() const {
  for (const Parameter& param : params()) {
    if (param.update_rule() && param.update_rule()->enabled()) return true;
  }
  return false;
}

namespace {

// `device` is that of the link, on which it will initialize the parameter.
void serialize_parameter(const Serializer& serializer, const std::string& name,
                         const Parameter& param, Device device) {
  if (serializer.is_writer()) {
    Array data = param.data();
    if (!data.defined()) {
      const std::string path = serializer.path_of(name);
      warn_once("save " + path, [&] {
        return str("save: ", path,
                   " is not initialized, so the file has no values of it; call "
                   "the model once before");
      });
    }
    serializer(name, data);
  } else if (param.is_initialized()) {
    const SerializedValue* entry = serializer.read(name);
    if (entry != nullptr && std::holds_alternative<std::monostate>(*entry)) {
      const std::string path = serializer.path_of(name);
      warn_once("load " + path, [&] {
        return str("load: the file has no values of ", path,
                   ", which was not initialized when it was saved; the "
                   "parameter keeps its own");
      });
    }
    Array data = param.data();
    serializer(name, data);
    serializer.on_commit([param] { param.bump_version(); });
  } else if (const SerializedValue* entry = serializer.read(name)) {
    // An uninitialized parameter takes the entry's shape.
    const Array* loaded = std::get_if<Array>(entry);
    if (loaded == nullptr) return;
    const Dtype dtype = param.initializer().dtype().value_or(config().dtype);
    const Array data = loaded->astype(dtype).to_device(device);
    serializer.on_commit([param, data] {
      param.initialize(data);
      param.bump_version();
    });
  }
}

}  // namespace

void Link::serialize(const Serializer& serializer) {
  for_each_member([&](const std::string& name, auto& member) {
    if constexpr (std::is_same_v<decltype(member), Param&>) {
      serialize_parameter(serializer, name, member, device());
    } else {
      serializer(name, member);
    }
  });
  visit_children([&](const std::string& name, Link& child) {
    child.serialize(serializer[name]);
  });
}

}  // namespace catena
