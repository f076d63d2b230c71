// What `aliquot top` shows, as lines of styled text: the cluster in two lines, each node with its CPU cut
// into the fractions that jobs are given, jobs with their yields, decisions as they come. Pure: it knows
// the size of the screen and nothing of terminals, and reads as well without colours.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

namespace aliquot::ctl {

enum class Ink { plain, title, dim, good, wait, bad, share0, share1, share2, share3, share4, share5 };
inline constexpr int kShareInks = 6;

struct Span {
  std::string text;
  Ink ink = Ink::plain;
};
using StyledLine = std::vector<Span>;

// The manager's answers, as they came.
struct TopPicture {
  const nlohmann::json& status;
  const nlohmann::json& nodes;      // of node.list
  const nlohmann::json& jobs;       // of list
  const nlohmann::json& decisions;  // rows of `events` that are of the chronicle, oldest first
};

struct TopView {
  std::size_t width = 80;     // no line is wider
  std::size_t height = 24;    // 0: as many lines as there are
  std::size_t first_job = 0;  // jobs that are scrolled past
};

[[nodiscard]] std::vector<StyledLine> top_frame(const TopPicture& picture, const TopView& view);

// A node's CPU as a bar of `width` characters: "1=====2==3....." where job 1 is given the most.
struct Fraction {
  std::string job;
  double of_node = 0;  // 0 to 1
};
[[nodiscard]] StyledLine fraction_bar(const std::vector<Fraction>& fractions, std::size_t width);

[[nodiscard]] std::string plain(const std::vector<StyledLine>& frame);

}  // namespace aliquot::ctl
