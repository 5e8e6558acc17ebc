#pragma once

#include <string>

#include "catena/links/link.h"

namespace catena::links {

// A table of a link, its descendants and their parameters, to print: paths, as
// in namedlinks(), namedparams() and snapshots; the types of links and dtypes
// of parameters; shapes and numbers of elements.
//
//   std::cout << summary(model);
//
//   path   type     shape          elements
//   /      MLP
//   /l1    Linear
//   /l1/W  float32  (100, 784)        78400
//   /l1/b  float32  (100,)              100
//   /l2    Linear
//   /l2/W           uninitialized
//   /l2/b  float32  (10,)                10
//   total                             78510, without 1 uninitialized
//
// A parameter without a shape is uninitialized until the first call. One that
// two links share counts twice, as in count_params().
std::string summary(const Link& link);

}  // namespace catena::links
