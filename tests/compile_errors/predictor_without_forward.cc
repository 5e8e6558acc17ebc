// first error: this link has no forward

#include "catena/links/model/classifier.h"

class MLP : public catena::Chain<MLP> {};

void train() { catena::links::Classifier model{MLP()}; }
