#pragma once

#include "catena/autograd/variable.h"

namespace catena::functions {

// A bilinear map with optional linear terms, as in a neural tensor network (R.
// Socher et al., 2013):
//
//   y[i, l] = sum over j, k of e1[i, j] e2[i, k] W[j, k, l]
//           + sum over j of e1[i, j] V1[j, l]
//           + sum over k of e2[i, k] V2[k, l] + b[l]
//
// e1 is (I, J), e2 (I, K), W (J, K, L), V1 (J, L), V2 (K, L), b (L,); further
// axes of e1 and e2 are flattened. All have the same floating dtype. Throws
// InvalidType when dtypes or shapes do not match, ValueError unless V1, V2 and
// b are given all together or not at all.
Variable bilinear(const Variable& e1, const Variable& e2, const Variable& W,
                  const Variable& V1 = {}, const Variable& V2 = {},
                  const Variable& b = {});

}  // namespace catena::functions
