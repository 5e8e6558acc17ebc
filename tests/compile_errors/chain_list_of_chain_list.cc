// first error: ChainList: this link is a ChainList, too, which would be copied:
// to add it as a child, write `ChainList list; list.append(link);`

#include "catena/links/connection/n_step_lstm.h"

namespace L = catena::links;

void build() {
  const L::NStepLSTM lstm(1, 2, 3, 0.0);
  catena::ChainList list(lstm);
}
