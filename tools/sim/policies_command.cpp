#include <algorithm>
#include <iostream>

#include "policies/registry.hpp"
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

@article{mualem2001backfilling,
  author    = {Mu'alem, Ahuva W. and Feitelson, Dror G.},
  title     = {Utilization, Predictability, Workloads, and User Runtime Estimates in Scheduling the
               {IBM} {SP2} with Backfilling},
  journal   = {IEEE Transactions on Parallel and Distributed Systems},
  volume    = {12},
  number    = {6},
  pages     = {529--543},
  year      = {2001}
}

@article{stillwell2012dfrs,
  author    = {Stillwell, Mark and Vivien, Fr{\'e}d{\'e}ric and Casanova, Henri},
  title     = {Dynamic Fractional Resource Scheduling versus Batch Scheduling},
  journal   = {IEEE Transactions on Parallel and Distributed Systems},
  volume    = {23},
  number    = {3},
  pages     = {521--529},
  year      = {2012}
}

@techreport{soner2012ipsched,
  author      = {Soner, Seren and {\"O}zturan, Can},
  title       = {Integer Programming Based Heterogeneous {CPU-GPU} Cluster Scheduler for {SLURM} Resource
                 Manager},
  institution = {Partnership for Advanced Computing in Europe (PRACE)},
  year        = {2012}
}

@unpublished{soner2013aucsched,
  author = {Soner, Seren and {\"O}zturan, Can},
  title  = {Integer Programming Based Heterogeneous {CPU-GPU} Cluster Schedulers for {SLURM} Resource
            Manager},
  year   = {2013}
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
  std::cout << "\nOptions, in any order (docs/policies.md):\n";
  for (const std::string& grammar : built_in_policies().grammars()) std::cout << grammar << "\n";
  std::cout << "exec:COMMAND: a policy in any language, here only (docs/exec-policy.md)\n";
  return 0;
}

}  // namespace aliquot
