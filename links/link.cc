#include "catena/links/link.h"

#include "catena/array/error.h"

namespace catena {
namespace {

constinit thread_local CopyMode copy_mode = CopyMode::kCopy;

}  // namespace

CopyModeScope::CopyModeScope(CopyMode mode)
    : previous_(std::exchange(copy_mode, mode)) {}

CopyModeScope::~CopyModeScope() { copy_mode = previous_; }

Param::Param(Link* owner, std::string name, Initializer initializer,
             std::optional<Shape> shape)
    : Parameter(std::move(initializer), std::move(shape), name) {
  owner->add_member(std::move(name), Link::MemberKind::kParameter, this);
}

Param::Param(const Param& other)
    : Parameter(other.defined() ? other.clone(copy_mode) : Parameter()) {}

Param& Param::operator=(const Param& other) { return *this = Param(other); }

void Link::add_member(std::string name, MemberKind kind, const void* member) {
  for (const Member& other : members_) {
    if (other.name == name) {
      raise<ValueError>("Link: there is a member named '", name, "' already");
    }
  }
  members_.push_back({std::move(name), kind, offset_of(member)});
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
  add_member(std::move(name), MemberKind::kNumber, &member);
}

template <class Visit>
void Link::for_each_link(const std::string& path, const Visit& visit) {
  visit(path, *this);
  visit_children([&](const std::string& name, Link& child) {
    child.for_each_link(path + "/" + name, visit);
  });
}

std::vector<std::pair<std::string, Parameter>> Link::namedparams(
    bool include_uninit) const {
  std::vector<std::pair<std::string, Parameter>> result;
  // Walking changes nothing; visit_children is not const because it hands out
  // links that may be changed.
  const_cast<Link*>(this)->for_each_link(
      "", [&](const std::string& path, Link& link) {
        for (const Member& member : link.members_) {
          if (member.kind != MemberKind::kParameter) continue;
          const auto& param =
              *static_cast<const Param*>(link.member_at(member.offset));
          if (include_uninit || param.is_initialized()) {
            result.emplace_back(path + "/" + member.name, param);
          }
        }
      });
  return result;
}

std::vector<Parameter> Link::params(bool include_uninit) const {
  std::vector<Parameter> result;
  for (auto& [path, param] : namedparams(include_uninit)) {
    result.push_back(std::move(param));
  }
  return result;
}

std::vector<std::pair<std::string, Link*>> Link::namedlinks(bool skipself) {
  std::vector<std::pair<std::string, Link*>> result;
  for_each_link("", [&](const std::string& path, Link& link) {
    if (path.empty() && skipself) return;
    result.emplace_back(path.empty() ? "/" : path, &link);
  });
  return result;
}

std::vector<Link*> Link::children() {
  std::vector<Link*> result;
  visit_children(
      [&](const std::string&, Link& child) { result.push_back(&child); });
  return result;
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

// The parameters of two links of one structure, side by side.
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
    if (to.is_initialized() && from.is_initialized()) to.addgrad(from);
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
    if (!from.is_initialized()) continue;
    if (!to.is_initialized()) to.initialize(from.shape());
    to.copydata(from);
    to.bump_version();
  }
}

void Link::to_device(Device device) {
  require_device(device, "Link::to_device");
  for (const Parameter& param : params()) param.to_device(device);
  for_each_link("", [&](const std::string&, Link& link) {
    for (const Member& member : link.members_) {
      if (member.kind != MemberKind::kArray) continue;
      auto& array = *static_cast<Array*>(link.member_at(member.offset));
      if (array.defined()) array = array.to_device(device);
    }
  });
}

void Link::enable_update() const {
  for (const Parameter& param : params()) {
    if (const auto& rule = param.update_rule()) rule->set_enabled(true);
  }
}

void Link::disable_update() const {
  for (const Parameter& param : params()) {
    if (const auto& rule = param.update_rule()) rule->set_enabled(false);
  }
}

bool Link::update_enabled() const {
  for (const Parameter& param : params()) {
    if (param.update_rule() && param.update_rule()->enabled()) return true;
  }
  return false;
}

namespace {

void serialize_parameter(const Serializer& serializer, const std::string& name,
                         const Parameter& param) {
  if (serializer.is_writer()) {
    Array data = param.data();
    serializer(name, data);
  } else if (param.is_initialized()) {
    Array data = param.data();
    serializer(name, data);
    serializer.on_commit([param] { param.bump_version(); });
  } else if (const SerializedValue* entry = serializer.read(name)) {
    // A parameter without a shape takes the entry's.
    const Array* loaded = std::get_if<Array>(entry);
    if (loaded == nullptr) return;
    serializer.on_commit([param, source = *loaded] {
      param.initialize(source.shape());
      param.data().assign(source.to_device(param.device()));
      param.bump_version();
    });
  }
}

}  // namespace

void Link::serialize(const Serializer& serializer) {
  for (const Member& member : members_) {
    void* at = member_at(member.offset);
    switch (member.kind) {
      case MemberKind::kParameter:
        serialize_parameter(serializer, member.name,
                            *static_cast<const Param*>(at));
        break;
      case MemberKind::kArray:
        serializer(member.name, *static_cast<Array*>(at));
        break;
      case MemberKind::kNumber:
        serializer(member.name, *static_cast<int64_t*>(at));
        break;
    }
  }
  visit_children([&](const std::string& name, Link& child) {
    child.serialize(serializer[name]);
  });
}

}  // namespace catena
