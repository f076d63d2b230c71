// Three ways to write a collective placement as an integer program.
//
// naive:     the papers' own, x_nj and t_nj for every node and job (IPSCHED (1)-(6), with (5) read as
//            min s_j <= 2|N| c_j <= max s_j and (6) as t <= x <= R t). The reference, for tiny systems.
// exact:     by classes of nodes: z_kq nodes of class k hold exactly the set q of jobs, X_jkq units of j on
//            them. Its optimum is the naive one: units are dealt out one to each job and node first, the
//            rest as it comes. As many columns as there are sets: for small systems.
// selection: s_j, and y_jk nodes of class k for jobs that ask for devices or numbers of nodes. An upper
//            bound, exact where every job with devices takes all devices of its nodes. The one to run.
// The value of each is in the units of Instance. Nodes with several models are told apart by none of them:
// naive and exact refuse them, selection counts their devices together.
#pragma once

#include <cstdint>
#include <vector>

#include "policies/model/error.hpp"
#include "policies/placement/instance.hpp"
#include "policies/placement/mip/program.hpp"

namespace aliquot::ip {

// Column j of each program is s_j.
[[nodiscard]] Result<MipProgram> naive_program(const Instance& instance);
[[nodiscard]] Result<MipProgram> exact_program(const Instance& instance);
[[nodiscard]] MipProgram selection_program(const Instance& instance);

inline constexpr std::size_t kMostExactColumns = 60'000;

}  // namespace aliquot::ip
