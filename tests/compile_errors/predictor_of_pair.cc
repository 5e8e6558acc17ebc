// first error: Classifier: the predictor's forward returns no Variable: return
// the scores alone, or write a link with a loss of your own

#include <utility>

#include "catena/links/model/classifier.h"

class MLP : public catena::Chain<MLP> {
 public:
  std::pair<catena::Variable, catena::Variable> forward(
      const catena::Variable& x) {
    return {x, x};
  }
};

void train() { catena::links::Classifier model{MLP()}; }
