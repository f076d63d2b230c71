// The names of the TPDS 2012 family: text <-> Tpds2012Spec, both ways.
//
//   <submit>[*][/per=T|/stretch-per=T][/OPT=MIN|AVG|MAX][/MINVT=s|/MINFT=s]
//
// submit: Greedy, GreedyP (may pause), GreedyPM (may pause and move), MCB8 (packs all jobs anew), or empty
// (jobs wait for the tick). The parts after the slashes may come in any order; to_string gives the one
// canonical form, and parse_tpds2012 reads it back to an equal spec. (Stillwell, Vivien, Casanova: the
// authors' work after DFRS 2010, arXiv 1106.4985 / IEEE TPDS 2012.)
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "policies/model/error.hpp"
#include "policies/model/time.hpp"

namespace aliquot {

struct Tpds2012Spec {
  enum class Submit : std::uint8_t { wait, greedy, greedy_pause, greedy_move, pack };
  enum class Tick : std::uint8_t { none, yield, stretch };
  enum class Opt : std::uint8_t { usual, min, avg, max };
  enum class Pin : std::uint8_t { none, virtual_time, flow_time };

  Submit submit = Submit::wait;
  bool star = false;  // on completions too
  Tick tick = Tick::none;
  Duration period;  // unless Tick::none
  Opt opt = Opt::usual;
  Pin pin = Pin::none;
  Duration pin_below;  // unless Pin::none

  [[nodiscard]] bool packs() const { return tick != Tick::none || submit == Submit::pack; }
  [[nodiscard]] bool preempts() const {
    return submit == Submit::greedy_pause || submit == Submit::greedy_move;
  }
  friend bool operator==(const Tpds2012Spec&, const Tpds2012Spec&) = default;
};

// Meant as a name of this family, right or wrong.
[[nodiscard]] bool looks_tpds2012(std::string_view text);

[[nodiscard]] Result<Tpds2012Spec> parse_tpds2012(std::string_view text);
[[nodiscard]] std::string to_string(const Tpds2012Spec& spec);

}  // namespace aliquot
