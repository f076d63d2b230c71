// The cells that are done, on disk: a line is added as each is done, so that a killed campaign goes on
// where it stopped.
//
// A line is written at once (the end of the program does not lose it) and is on the disk within half a
// second (a power failure may cost that much). The end of a file that was cut off within a line is
// repaired: the piece is dropped and its cell is run again. One program at a time: the file is locked.
// Errors: another program holds it, it cannot be written, it is not such a file, a line is damaged.
#pragma once

#include <chrono>
#include <string>
#include <vector>

#include "tools/sim/campaign/cell.hpp"

namespace aliquot {

class CellJournal {
 public:
  // Creates it if it is not there.
  [[nodiscard]] static Result<CellJournal> open(const std::string& path);
  CellJournal(CellJournal&& other) noexcept;
  CellJournal& operator=(CellJournal&&) = delete;
  ~CellJournal();

  // What stood in the file when it was opened, in the order it was done.
  [[nodiscard]] const std::vector<Cell>& found() const { return found_; }
  // Bytes of a torn last line that were dropped.
  [[nodiscard]] std::size_t repaired() const { return repaired_; }

  [[nodiscard]] Result<void> append(const Cell& cell);
  // Those that were not found in it.
  [[nodiscard]] Result<void> add_missing(const std::vector<Cell>& cells);
  [[nodiscard]] Result<void> sync();

 private:
  CellJournal(std::string path, int file) : path_(std::move(path)), file_(file) {}
  [[nodiscard]] Result<void> load();
  [[nodiscard]] Result<void> write(const std::string& text);

  std::string path_;
  int file_ = -1;
  std::vector<Cell> found_;
  std::size_t repaired_ = 0;
  std::chrono::steady_clock::time_point synced_;
};

// The cells of a journal that nobody need be writing, without touching it.
[[nodiscard]] Result<std::vector<Cell>> read_cells(const std::string& path);

}  // namespace aliquot
