// Names of the TPDS 2012 grammar beyond those that are listed: each of its parts, and what goes with what.
#pragma once

#include <array>

namespace aliquot::test {

inline constexpr std::array<const char*, 14> kMoreTpds2012Names = {
    "Greedy",
    "GreedyP",
    "GreedyPM",
    "MCB8",
    "*/per=60",
    "GreedyP/OPT=MIN",
    "Greedy*/OPT=MAX",
    "MCB8*/OPT=AVG/MINVT=100",
    "MCB8/OPT=MIN/MINFT=300",
    "MCB8*/stretch-per=60/OPT=MAX/MINFT=30",
    "GreedyPM/per=60/OPT=MAX",
    "GreedyP*/stretch-per=90/OPT=MIN/MINVT=20",
    "/stretch-per=60/OPT=AVG",
    "GreedyPM*/per=60/OPT=AVG/MINVT=60",
};

}  // namespace aliquot::test
