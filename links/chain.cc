#include "catena/links/chain.h"

#include <typeinfo>

#include "catena/array/core/error.h"
#include "catena/array/core/name_list.h"
#include "catena/array/index.h"
#include "catena/autograd/class_name.h"

namespace catena {
void AnyLink::throw_wrong_type(const std::type_info& wanted, const Link& link) {
  raise<ValueError>("AnyLink: expected a link of type ",
                    qualified_class_name(wanted), ", got ",
                    qualified_class_name(typeid(link)));
}

void AnyLink::throw_not_callable() {
  raise<NotImplementedError>(
      "AnyLink: the link has no forward that takes one variable");
}

Link& ChainBase::operator[](std::string_view name) {
  Link* found = nullptr;
  visit_children([&](const std::string& child_name, Link& child) {
    if (child_name == name) found = &child;
  });
  if (found == nullptr) {
    std::vector<std::string> names;
    visit_children(
        [&](const std::string& other, Link&) { names.push_back(other); });
    array::throw_unknown_name("Chain", "a child", names, name);
  }
  return *found;
}

void ChainBase::visit_children(const ChildVisitor& visit) {
  for (const MemberChild& child : children_) {
    visit(child.name, *static_cast<Link*>(member_at(child.offset)));
  }
  for (auto& [name, link] : owned_) visit(name, *link);
}

void ChainBase::check_name(std::string_view name) {
  if (name.empty()) raise<ValueError>("Chain: a child needs a name");
  visit_children([&](const std::string& other, Link&) {
    if (other == name) {
      raise<ValueError>("Chain: a child named '", name, "' already exists");
    }
  });
}

void ChainBase::add_child(std::string name, Link& child) {
  check_name(name);
  set_name(child, name);
  children_.push_back({std::move(name), offset_of(&child)});
}

void ChainBase::add_owned(std::string name, AnyLink link) {
  check_name(name);
  set_name(*link, name);
  owned_.emplace_back(std::move(name), std::move(link));
}

void ChainList::add_owned(AnyLink link) {
  set_name(*link, std::to_string(links_.size()));
  links_.push_back(std::move(link));
}

std::vector<Link*> ChainList::operator[](const Slice& slice) const {
  const auto positions = array::slice_positions("ChainList", slice, size());
  std::vector<Link*> links(positions.count);
  for (int64_t i = 0; i < positions.count; ++i) {
    links[i] = &*links_[positions[i]];
  }
  return links;
}

const AnyLink& ChainList::any(int64_t index) const {
  if (index < -size() || index >= size()) {
    raise<IndexError>("ChainList: index ", index, " is out of range for ",
                      size(), " links");
  }
  return links_[index < 0 ? index + size() : index];
}

void ChainList::visit_children(const ChildVisitor& visit) {
  for (const AnyLink& link : links_) visit(link->name(), *link);
}

}  // namespace catena
