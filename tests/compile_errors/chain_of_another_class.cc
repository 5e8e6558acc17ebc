// first error: with Args = {}; Derived = MLP; Base = catena::ChainBase]

#include "catena/links/chain.h"

class MLP : public catena::Chain<MLP> {
 public:
  catena::Variable forward(const catena::Variable& x) { return x; }
};

class Own : public catena::Chain<MLP> {
 public:
  Own() {}
};
