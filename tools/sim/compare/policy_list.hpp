// A list of policies as it is typed: names with commas between them.
//
// A comma inside parentheses, or before a further `key=value` of a name with a colon, belongs to the name:
// "FCFS,HYBRID(EASY, GREEDY),ALIQUOT:pin=0.4,period=600" are three. Everything after "exec:" is one
// command.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace aliquot {

// Without spaces around the names; empty names are kept, for whoever makes the policies to complain of.
[[nodiscard]] std::vector<std::string> split_policies(std::string_view text);

}  // namespace aliquot
