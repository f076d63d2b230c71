#include "policies/aliquot/local_search.hpp"

#include <algorithm>
#include <utility>

#include "policies/aliquot/outcome.hpp"

namespace aliquot {

namespace {

constexpr double kWorthIt = 0.98;  // of S: less is no gain
constexpr double kRounded = 1e-9;

struct Move {
  std::size_t entry = 0;
  Placement to;
  double stretch = 0;  // that it leads to
};

// Tries it on the board and takes it back; none if it does not lead below `limit`.
std::optional<Move> tried(Board& board, const Crowds& now, std::uint32_t i, double limit) {
  Draft& draft = board.draft();
  const Placement from = draft.placement(i);
  const Outlook before = board.outlook(i);
  const Outlook after = board.charged(i);
  if (now.surely_beyond(limit, i, {}, after)) return std::nullopt;
  board.remove(i);
  auto to = board.placement_for(i);
  std::optional<Move> move;
  if (to && *to != from && !now.surely_beyond(limit, i, *to, after)) {
    board.put(i, *to, after);
    const double at_full = stretch_at_full_speed(draft, board.outlooks());
    if (at_full < limit) {
      Crowds crowds(draft, board.outlooks(), board.spec().floor);
      if (crowds.within(limit)) move = Move{i, *std::move(to), std::max(at_full, crowds.worst())};
    }
    board.remove(i);
  }
  board.put(i, from, before);
  return move;
}

// Whom it helps: on a node as bad as any, the job that would be worst off.
void note(Board& board, const Crowds& crowds, const Move& move, double before) {
  const Draft& draft = board.draft();
  std::uint32_t helped = static_cast<std::uint32_t>(move.entry);
  for (const std::uint32_t i : crowds.jobs_of_worst()) {
    const bool others = helped != move.entry;
    if (i != move.entry && (!others || board.outlook(i).at_full > board.outlook(helped).at_full))
      helped = i;
  }
  board.displace(draft.job(move.entry).id, {Displacement::By::rebalancing, draft.job(helped).id,
                                            hundredths(before), hundredths(move.stretch)});
}

std::optional<Move> best_move(Board& board, Crowds& crowds) {
  const Draft& draft = board.draft();
  if (!crowds.any()) return std::nullopt;
  const double now = crowds.worst();
  const double limit = kWorthIt * now;
  if (stretch_at_full_speed(draft, board.outlooks()) >= limit) return std::nullopt;
  const auto candidates = crowds.on_all_beyond(limit);
  std::optional<Move> best;
  for (const std::uint32_t i : candidates) {
    if (draft.fixed(i) || !(board.charged(i).at_full < limit)) continue;
    auto move = tried(board, crowds, i, best ? best->stretch : limit);
    if (move && (!best || move->stretch < best->stretch)) best = std::move(move);
  }
  if (best) note(board, crowds, *best, now);
  return best;
}

// Mostly it is known without the crowds that nothing is to be gained: somebody is as late as that already.
bool nothing_to_gain(const Board& board, const Floors& floors) {
  const Draft& draft = board.draft();
  const double at_full = stretch_at_full_speed(draft, board.outlooks());
  return !floors.any() ||
         surely_within(draft, board.outlooks(), floors, at_full / kWorthIt * (1 - kRounded));
}

}  // namespace

bool move_one(Board& board, Searched& found) {
  const Draft& draft = board.draft();
  const Yield floor = board.spec().floor;
  if (nothing_to_gain(board, found.floors.emplace(draft, board.outlooks(), floor))) return false;
  found.crowds.emplace(draft, board.outlooks(), floor);
  const auto move = best_move(board, *found.crowds);
  if (!move) return false;
  found.floors.reset();
  found.crowds.reset();
  const Outlook after = board.charged(move->entry);
  board.remove(move->entry);
  board.put(move->entry, move->to, after);
  return true;
}

}  // namespace aliquot
