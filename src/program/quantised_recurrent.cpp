// Recurrent layers with packed parameters.
#include "program/quantised.h"

namespace tonnx::program {

std::span<const QuantisedRow> quantised_recurrent() { return {}; }

}  // namespace tonnx::program
