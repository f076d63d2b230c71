// A submission that is accepted, for tests to spoil, and what is said of one.
#pragma once

#include <string>
#include <vector>

#include "manager/api/answers/admission.hpp"
#include "test/support/small_view.hpp"

namespace aliquot::test {

inline AdmissionRules rules() {
  AdmissionRules r;
  r.limits.max_jobs = 100;
  r.limits.max_tasks = 1000;
  r.max_archive = mebibytes(64);
  r.vm_overhead = mebibytes(64);
  return r;
}

inline Submit good() {
  Submit s;
  s.submission = test::submission(2, 1000, 128);
  s.submission.program = LinuxCommand{{"echo", "x"}, {}};
  s.submission.name = "primes-1";
  return s;
}

inline void run(Submit& s, Program program) { s.submission.program = std::move(program); }

inline std::vector<Node> one_node_of_each_kind() {
  std::vector<Node> nodes{test::node(0, 2, 1000), test::node(1, 2, 2000)};
  nodes[1].hypervisor = HypervisorKind::xen;
  return nodes;
}

inline std::string answer(const Submit& asked, const std::vector<Node>& nodes) {
  const auto ok = admit(asked, nodes, 0, rules());
  return ok ? "taken" : ok.error().message;
}

}  // namespace aliquot::test
