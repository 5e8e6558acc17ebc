#pragma once

#include <functional>

#include "catena/links/link.h"
#include "catena/tests/support/golden.h"

// Runs links on the cases of tests/golden/links, whose keys its README.md
// explains.
namespace catena::testing {

// Sets the parameters of the link to the case's "param/...".
void set_golden_params(Link& link, const GoldenCase& golden);

// Runs `forward` on the case's inputs (those with an integer dtype take no
// gradient, those that were None are undefined), propagates its "gout", and
// expects its outputs and the gradients of inputs and parameters. A case of
// several calls, "call0/in0" and so on, makes them in a row and propagates the
// gradients of those in training mode together. Everything is on the link's
// device.
using LinkForward = std::function<Variables(const Variables& inputs)>;
void expect_golden_call(Link& link, const GoldenCase& golden,
                        const LinkForward& forward);

}  // namespace catena::testing
