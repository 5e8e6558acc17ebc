// The constructor of Chain<MLP> is for MLP alone.
// first error: 'Own
// error: MLP

#include "catena/links/chain.h"

class MLP : public catena::Chain<MLP> {
 public:
  catena::Variable forward(const catena::Variable& x) { return x; }
};

class Own : public catena::Chain<MLP> {
 public:
  catena::Variable forward(const catena::Variable& x) { return x; }
};

Own model;
