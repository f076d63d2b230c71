#include "policies/model/nearest.hpp"

#include <algorithm>
#include <vector>

namespace aliquot {
namespace {

std::string lower(std::string_view text) {
  std::string out(text);
  std::ranges::transform(out, out.begin(), [](char c) {
    return c >= 'A' && c <= 'Z' ? static_cast<char>(c + ('a' - 'A')) : c;
  });
  return out;
}

std::size_t distance(const std::string& a, const std::string& b) {
  std::vector<std::vector<std::size_t>> d(a.size() + 1, std::vector<std::size_t>(b.size() + 1));
  for (std::size_t i = 0; i <= a.size(); ++i) d[i][0] = i;
  for (std::size_t j = 0; j <= b.size(); ++j) d[0][j] = j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t replace = d[i - 1][j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1);
      d[i][j] = std::min({d[i - 1][j] + 1, d[i][j - 1] + 1, replace});
      const bool swapped = i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1];
      if (swapped) d[i][j] = std::min(d[i][j], d[i - 2][j - 2] + 1);
    }
  }
  return d[a.size()][b.size()];
}

}  // namespace

std::size_t slips_between(std::string_view a, std::string_view b) { return distance(lower(a), lower(b)); }

std::optional<std::string> nearest(std::string_view written, std::span<const std::string> known) {
  if (written.empty() || written.size() > 64) return std::nullopt;
  std::optional<std::string> best;
  std::size_t best_distance = std::max<std::size_t>(1, written.size() / 3) + 1;
  for (const std::string& word : known) {
    const std::size_t d = slips_between(written, word);
    if (d < best_distance) {
      best_distance = d;
      best = word;
    }
  }
  return best;
}

std::string did_you_mean(std::string_view written, std::span<const std::string> known) {
  const auto best = nearest(written, known);
  return best ? "; did you mean `" + *best + "`?" : std::string();
}

}  // namespace aliquot
