// The finished trials of a campaign on disk, one line each. A campaign that was killed continues from them.
//
// append() writes its line at once, so that a kill loses nothing, and syncs it within half a second, which
// is what a power failure may lose. A last line that was cut off is dropped when the file is opened, and
// its trial is run again. The file is locked: one program at a time. Errors: another program holds the
// file; it cannot be written; it is no journal; a line is damaged.
#pragma once

#include <chrono>
#include <string>
#include <vector>

#include "tools/sim/trial.hpp"

namespace aliquot {

class TrialJournal {
 public:
  // Creates it if it is not there.
  [[nodiscard]] static Result<TrialJournal> open(const std::string& path);
  TrialJournal(TrialJournal&& other) noexcept;
  TrialJournal& operator=(TrialJournal&&) = delete;
  ~TrialJournal();

  // What stood in the file when it was opened, in the order it was done.
  [[nodiscard]] const std::vector<Trial>& found() const { return found_; }
  // Bytes of a torn last line that were dropped.
  [[nodiscard]] std::size_t repaired() const { return repaired_; }

  [[nodiscard]] Result<void> append(const Trial& trial);
  // Those that were not found in it.
  [[nodiscard]] Result<void> add_missing(const std::vector<Trial>& trials);
  [[nodiscard]] Result<void> sync();

 private:
  TrialJournal(std::string path, int file) : path_(std::move(path)), file_(file) {}
  [[nodiscard]] Result<void> load();
  [[nodiscard]] Result<void> write(const std::string& text);

  std::string path_;
  int file_ = -1;
  std::vector<Trial> found_;
  std::size_t repaired_ = 0;
  std::chrono::steady_clock::time_point synced_;
};

// The trials of a journal, read without a lock and without a change.
[[nodiscard]] Result<std::vector<Trial>> read_trials(const std::string& path);

}  // namespace aliquot
