// first error: this link has no forward: write `Variable forward(const
// Variable& x) { ... }` in its public part

#include "catena/links/model/classifier.h"

class MLP : public catena::Chain<MLP> {};

void train() { catena::links::Classifier model{MLP()}; }
