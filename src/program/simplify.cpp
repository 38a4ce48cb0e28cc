#include "program/simplify.h"

#include "program/control/raising.h"
#include "program/pass_driver.h"
#include "program/pipeline.h"

namespace tonnx::program {

bool simplify(ir::Graph& graph, Raising raising) {
  PassContext context{.graph = graph};
  return PassDriver(context).run(simplify_steps(raising), Progress::InvalidFacts);
}

}  // namespace tonnx::program
