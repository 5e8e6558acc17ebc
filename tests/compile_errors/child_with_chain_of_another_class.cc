// first error: a link derives from the Chain of another class: write its own
// name there, `class Own : public Chain<Own>`
// error: Own
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

class Net : public catena::Chain<Net> {
 public:
  Net();

 private:
  catena::Child<Own> own;
};
