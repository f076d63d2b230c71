#include "tools/sim/campaign/beyond/field.hpp"

#include "tools/sim/campaign/papers/published.hpp"

namespace aliquot {

const std::vector<std::string>& tpds2012_field() {
  static const std::vector<std::string> field = {
      "GreedyPM*/per=600",
      "GreedyPM*/per=600/MINVT=600",
      "GreedyPM*/OPT=MIN",
      "GreedyPM*/per=600/OPT=MIN/MINVT=600",
      "GreedyPM*/per=600/OPT=MIN/MINFT=600",
      "GreedyP*/per=600/OPT=MIN/MINVT=600",
      "Greedy*/per=600/OPT=MIN/MINVT=600",
      "GreedyPM*/stretch-per=600/OPT=MAX/MINVT=600",
  };
  return field;
}

const std::vector<std::string>& variants_of_ours() {
  static const std::vector<std::string> variants = {
      "ALIQUOT:pause=off", "ALIQUOT:urgent=off", "ALIQUOT:yields=fair", "ALIQUOT:hurry=off",
      "ALIQUOT:local=off", "ALIQUOT:repack=on",  "ALIQUOT:budget=off",  "ALIQUOT:floor=0",
      "ALIQUOT:cost=33%",  "ALIQUOT:cost=300%",
  };
  return variants;
}

std::vector<std::string> rivals() {
  std::vector<std::string> names = compared_policies();
  names.insert(names.end(), tpds2012_field().begin(), tpds2012_field().end());
  return names;
}

}  // namespace aliquot
