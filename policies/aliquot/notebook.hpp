// What ALIQUOT remembers from decision to decision, beside the retries: a value, kept as one line of text
// in PolicyMemory::note. Another policy's note, or a broken one, reads as an empty notebook.
#pragma once

#include <map>
#include <string>

#include "policies/model/view.hpp"

namespace aliquot {

// Why a job was paused or moved last: for people only, no decision reads it.
struct Displaced {
  enum class By : std::uint8_t { arrival, resume, search, repack };
  By by = By::arrival;
  JobId helped;             // whom
  std::int32_t before = 0;  // hundredths of the predicted stretch: of the job helped,
  std::int32_t after = 0;   // without and with what was done
  friend bool operator==(const Displaced&, const Displaced&) = default;
};

struct Notebook {
  std::int32_t tokens = 0;           // moves and pauses that may still be made
  Instant searched;                  // the last local search
  Instant repacked;                  // the last time a packing was tried
  bool begun = false;                // the instants mean something
  std::map<JobId, Instant> stalled;  // until when: told by what was decided, not yet by the view
  std::map<JobId, Displaced> displaced;

  // Leaves out jobs that are not in the view, and stalls that are over.
  [[nodiscard]] static Notebook read(const ClusterView& view);
  [[nodiscard]] std::string text() const;
  friend bool operator==(const Notebook&, const Notebook&) = default;
};

}  // namespace aliquot
