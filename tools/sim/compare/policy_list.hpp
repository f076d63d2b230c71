// Lists of policies: as they are typed, and the nine of the DFRS paper.
//
// Names are typed with commas between them. A comma inside parentheses, or before a further `key=value` of
// a name with a colon, belongs to the name: "FCFS,HYBRID(EASY, GREEDY),ALIQUOT:pin=0.4,period=600" are
// three. Everything after "exec:" is one command.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace aliquot {

// Without spaces around the names. Empty names are kept: making the policy refuses them.
[[nodiscard]] std::vector<std::string> split_policies(std::string_view text);

// The nine policies of DFRS 2010 (Table I), in the paper's order. `compare` runs them by default; campaigns
// take the best on an instance over them.
[[nodiscard]] std::vector<std::string> dfrs2010_policies();

}  // namespace aliquot
