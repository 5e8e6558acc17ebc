#pragma once

#include <oneapi/dnnl/dnnl.hpp>

// Primitives of oneDNN 2 and 3 by the same calls. Version 3 describes a
// primitive in one step, from what version 2 makes an operation's descriptor of
// first; the arguments are the same. Nothing else in the tree depends on the
// version.
namespace catena::cpu::onednn {

// The CPU. oneDNN knows only one.
const dnnl::engine& engine();

// The primitive with those arguments (propagation kind, algorithm, memory, ...,
// as its class in dnnl.hpp takes them). Its get(true) is null when oneDNN has
// no code for it.
template <class Primitive, class... Arguments>
auto describe_primitive(const dnnl::primitive_attr& attributes,
                        const Arguments&... arguments) {
  using Description = typename Primitive::primitive_desc;
#if DNNL_VERSION_MAJOR >= 3
  return Description(engine(), arguments..., attributes, /*allow_empty=*/true);
#else
  return Description(typename Primitive::desc(arguments...), attributes,
                     engine(), /*allow_empty=*/true);
#endif
}

// The same of a gradient's primitive, which wants to know the forward one.
template <class Primitive, class Forward, class... Arguments>
auto describe_gradient(const dnnl::primitive_attr& attributes,
                       const Forward& forward, const Arguments&... arguments) {
  using Description = typename Primitive::primitive_desc;
#if DNNL_VERSION_MAJOR >= 3
  return Description(engine(), arguments..., forward, attributes,
                     /*allow_empty=*/true);
#else
  return Description(typename Primitive::desc(arguments...), attributes,
                     engine(), forward, /*allow_empty=*/true);
#endif
}

}  // namespace catena::cpu::onednn
