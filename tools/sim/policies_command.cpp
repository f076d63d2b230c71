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

@inproceedings{klein2011evolving,
  author    = {Klein, Cristian and P{\'e}rez, Christian},
  title     = {Towards Scheduling Evolving Applications},
  booktitle = {CoreGRID/ERCIM Workshop on Grids, Clouds and P2P Computing},
  year      = {2011}
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

// "[+exact][+match]", "[/per[=T]|/stretch-per[=T]][/OPT=MIN|AVG|MAX]".
std::string grammar_text(const std::vector<OptionForm>& options) {
  std::string text;
  for (std::size_t k = 0; k < options.size(); ++k) {
    const bool joined = k > 0 && !options[k].group.empty() && options[k].group == options[k - 1].group;
    if (joined) text.pop_back();
    text += (joined ? '|' : '[') + form_text(options[k]) + ']';
  }
  return text;
}

// Every word with its options, one line for the words that have the same: "IPSCHED[/interval=s]...".
std::vector<std::string> grammars(const PolicyRegistry& registry) {
  std::vector<std::pair<std::string, std::string>> groups;  // options, words
  for (const PolicyRow& row : registry.rows()) {
    if (row.options.empty()) continue;
    const std::string options = grammar_text(row.options);
    if (groups.empty() || groups.back().first != options)
      groups.push_back({options, row.word});
    else
      groups.back().second += '|' + row.word;
  }
  std::vector<std::string> lines;
  for (const auto& [options, words] : groups) lines.push_back(words + options);
  return lines;
}

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
  for (const std::string& grammar : grammars(built_in_policies())) std::cout << grammar << "\n";
  std::cout << "exec:COMMAND: a policy in any language, here only (docs/exec-policy.md)\n";
  return 0;
}

}  // namespace aliquot
