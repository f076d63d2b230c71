// What a name of the TPDS 2012 family says.
//
//   <submit>[*][/per=T|/stretch-per=T][/OPT=MIN|AVG|MAX][/MINVT=s|/MINFT=s]
//
// submit: Greedy, GreedyP (may pause), GreedyPM (may pause and move), MCB8 (packs all jobs anew), or empty
// (jobs wait for the tick). Source: Stillwell, Vivien, Casanova, IEEE TPDS 2012 (arXiv 1106.4985).
#pragma once

#include "policies/grammar.hpp"

namespace aliquot {

struct Tpds2012Spec {
  enum class Submit : std::uint8_t { greedy, greedy_pause, greedy_move, pack, wait };
  enum class Tick : std::uint8_t { none, yield, stretch };
  enum class Opt : std::uint8_t { usual, min, avg, max };
  enum class Pin : std::uint8_t { none, virtual_time, flow_time };

  Submit submit = Submit::wait;
  bool star = false;  // jobs that wait or are paused are tried again on completions
  Tick tick = Tick::none;
  Duration period{};  // unless Tick::none
  Opt opt = Opt::usual;
  Pin pin = Pin::none;
  Duration pin_below{};  // unless Pin::none

  [[nodiscard]] bool packs() const { return tick != Tick::none || submit == Submit::pack; }
  [[nodiscard]] bool preempts() const {
    return submit == Submit::greedy_pause || submit == Submit::greedy_move;
  }
  friend bool operator==(const Tpds2012Spec&, const Tpds2012Spec&) = default;
};

[[nodiscard]] const PolicyGrammar<Tpds2012Spec>& grammar_of(Tpds2012Spec::Submit submit);
[[nodiscard]] std::string to_string(const Tpds2012Spec& spec);

}  // namespace aliquot
