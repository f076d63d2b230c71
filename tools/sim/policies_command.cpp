#include <algorithm>
#include <iostream>

#include "policies/policy.hpp"
#include "tools/sim/commands.hpp"

namespace aliquot {
namespace {

constexpr const char* kBibliography = R"(@inproceedings{stillwell2010dfrs,
  author    = {Stillwell, Mark and Vivien, Fr{\'e}d{\'e}ric and Casanova, Henri},
  title     = {Dynamic Fractional Resource Scheduling for {HPC} Workloads},
  booktitle = {IEEE International Symposium on Parallel and Distributed Processing (IPDPS)},
  year      = {2010}
}

@inproceedings{lifka1995easy,
  author    = {Lifka, David A.},
  title     = {The {ANL/IBM} {SP} Scheduling System},
  booktitle = {Job Scheduling Strategies for Parallel Processing (JSSPP)},
  series    = {LNCS},
  volume    = {949},
  year      = {1995}
}
)";

}  // namespace

int policies_command(bool bibtex) {
  if (bibtex) {
    std::cout << kBibliography;
    return 0;
  }
  std::size_t widest = 0;
  for (const PolicyInfo& info : known_policies()) widest = std::max(widest, info.name.size());
  for (const PolicyInfo& info : known_policies()) {
    const std::string margin(widest + 2, ' ');
    std::cout << info.name << margin.substr(info.name.size()) << info.summary << "\n"
              << margin << "[" << info.source << "]\n";
  }
  return 0;
}

}  // namespace aliquot
