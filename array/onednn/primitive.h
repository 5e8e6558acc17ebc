#pragma once

#include <oneapi/dnnl/dnnl.hpp>

// A common interface to the primitives of oneDNN 2 and 3. Version 2 first
// creates an operation descriptor; version 3 creates the primitive descriptor
// directly from the same arguments. No other code depends on the version.
namespace catena::cpu::onednn {

// The CPU engine; oneDNN has only one.
const dnnl::engine& engine();

// The descriptor of a primitive with these arguments (propagation kind,
// algorithm, memory, ..., as in dnnl.hpp). Its get(true) is null if oneDNN has
// no implementation.
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

// As describe_primitive for a backward primitive, which needs the forward one.
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

// Appends an elementwise operation with its parameters.
inline void append_eltwise(dnnl::post_ops& after, dnnl::algorithm algorithm,
                           float alpha, float beta) {
#if DNNL_VERSION_MAJOR >= 3
  after.append_eltwise(algorithm, alpha, beta);
#else
  after.append_eltwise(/*scale=*/1, algorithm, alpha, beta);
#endif
}

}  // namespace catena::cpu::onednn
