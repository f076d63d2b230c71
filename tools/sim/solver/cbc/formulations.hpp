// Three ways to write a collective placement as an integer program.
//
// naive:     the papers' own, x_nj and t_nj for every node and job (IPSCHED (1)-(6), with (5) read as
//            min s_j <= 2|N| c_j <= max s_j and (6) as t <= x <= R t). The reference, for tiny systems.
// exact:     by node classes: z_kq nodes of class k host exactly the set q of jobs, with X_jkq units of j.
//            Its optimum is that of the naive one: each job and node gets one unit first, the others follow
//            in any way. It has as many columns as there are sets: for small systems.
// selection: s_j, and y_jk nodes of class k for jobs that ask for devices or numbers of nodes. An upper
//            bound, exact where each job with devices takes all devices of its nodes. For large systems.
// Values are in the units of Instance. None of the programs tells the models of one node apart: naive and
// exact refuse nodes with several models, selection counts their devices together.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "policies/model/error.hpp"
#include "policies/placement/model/devices.hpp"
#include "policies/placement/solver/placer.hpp"
#include "tools/sim/solver/cbc/cbc.hpp"

namespace aliquot::ip {

// Column j of each program is s_j.
[[nodiscard]] Result<MipProgram> naive_program(const Instance& instance);
[[nodiscard]] Result<MipProgram> exact_program(const Instance& instance);
[[nodiscard]] MipProgram selection_program(const Instance& instance);

inline constexpr std::size_t kMostExactColumns = 60'000;

[[nodiscard]] inline bool has_slices(const Instance& instance) {
  return std::any_of(instance.requests.begin(), instance.requests.end(),
                     [](const Request& r) { return r.is_slice(); });
}

[[nodiscard]] inline bool one_model_each(const Instance& instance) {
  return std::all_of(instance.kinds.begin(), instance.kinds.end(),
                     [](const NodeKind& kind) { return kind.size() <= 1; });
}

}  // namespace aliquot::ip
