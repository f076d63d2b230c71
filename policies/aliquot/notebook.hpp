// What ALIQUOT remembers from decision to decision, beside the retries: a value, kept as one line of text
// in PolicyMemory::note. Another policy's note, or a broken one, reads as an empty notebook.
//
// Most of a long note is about jobs that were paused a while ago, and stays as it is: what is kept of it is
// not written anew but copied. So a notebook that was read may only be written while its note is there.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "policies/draft.hpp"
#include "policies/model/flat_map.hpp"
#include "policies/model/view.hpp"

namespace aliquot {

// Why a job was paused or moved last: for people only, no decision reads it.
struct Displaced {
  enum class By : std::uint8_t { arrival, resume, search, repack };
  By by = By::arrival;
  JobId helped;                // whom
  std::int32_t before = 0;     // hundredths of the predicted stretch: of the job helped,
  std::int32_t after = 0;      // without and with what was done
  std::string_view as_read{};  // its part of the note, where it would be written just so; else empty
  friend bool operator==(const Displaced& a, const Displaced& b) {
    return a.by == b.by && a.helped == b.helped && a.before == b.before && a.after == b.after;
  }
};

// How long a job stands still.
struct Stall {
  Instant until;
  std::string_view as_read;  // its part of the note, as above

  Stall(Instant instant = {}, std::string_view text = {})  // NOLINT(google-explicit-constructor)
      : until(instant), as_read(text) {}
  friend bool operator==(const Stall& a, const Stall& b) { return a.until == b.until; }
};

struct Notebook {
  std::int32_t tokens = 0;        // moves and pauses that may still be made
  Instant searched;               // the last local search
  bool owed = false;              // one that came too soon after it, and is still to be made
  Instant repacked;               // the last time a packing was tried
  bool begun = false;             // the instants mean something
  FlatMap<JobId, Stall> stalled;  // told by what was decided, not yet by the view
  FlatMap<JobId, Displaced> displaced;
  // Instead, where nobody asks for more than their parts of the note; in increasing ids.
  std::vector<std::pair<JobId, std::string_view>> kept;
  std::vector<std::pair<JobId, Displaced>> displaced_lately;  // besides; of one job the last counts

  // From now on this is why.
  void displace(JobId job, const Displaced& why) { displaced_lately.emplace_back(job, why); }

  // Leaves out jobs that are not in the view, and stalls that are over.
  [[nodiscard]] static Notebook read(const ClusterView& view);
  // The same for whom a draft of the view is at hand and does not ask why anybody was displaced: a note
  // that was written just so is kept as it is.
  [[nodiscard]] static Notebook read(const Draft& draft);
  [[nodiscard]] std::string text() const;
  friend bool operator==(const Notebook&, const Notebook&) = default;

 private:
  void write_stalled(std::string& text) const;
  template <class Known>
  void write_displaced(std::string& text, const Known& known) const;
};

}  // namespace aliquot
