#include "tools/sim/solver/general_solver.hpp"

namespace aliquot {

Result<ip::Solver> general_solver(CollectiveSpec::Solver) {
  return fail(
      ErrorKind::unsupported,
      "/solver=cbc and /solver=exact: this program has no general solver in it; use aliquot-sim-cbc, "
      "which is built where coinor-libcbc-dev is installed, or leave /solver out");
}

}  // namespace aliquot
