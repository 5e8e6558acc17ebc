#pragma once

#include <functional>

#include "catena/links/link.h"
#include "catena/tests/support/golden.h"

// Runs links on the cases of tests/golden/links; its README.md explains the
// keys.
namespace catena::testing {

// Sets the link's parameters to the case's "param/...".
void set_golden_params(Link& link, const GoldenCase& golden);

// Runs `forward` on the case's inputs (integer inputs get no gradient, None
// inputs are undefined), propagates its "gout", and compares outputs and the
// gradients of inputs and parameters. For a case with several calls,
// "call0/in0" etc., makes them in order and propagates the gradients of the
// training-mode calls together. Everything is on the link's device.
using LinkForward = std::function<Variables(const Variables& inputs)>;
void expect_golden_call(Link& link, const GoldenCase& golden,
                        const LinkForward& forward);

}  // namespace catena::testing
