// first error: the first argument of a Child is `this` in a class that derives
// from Chain, then its name: l1(this, "l1", ...)

#include "catena/links/chain.h"
#include "catena/links/connection/linear.h"

class MLP : public catena::Chain<MLP> {
 public:
  catena::Child<catena::links::Linear> l1{"l1", 3};
};
