// What users of Slurm are used to type, in Aliquot's words: amounts in Slurm's units, and the #SBATCH lines
// of a script (sbatch(1) of Slurm 22.05). An option that means the same here is taken over; one that only
// says where or how Slurm is to keep something is left out, and said; one without which the job would be
// another job is refused.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "policies/model/error.hpp"
#include "tools/ctl/job_text.hpp"

namespace aliquot::ctl::slurm {

// "01:30:00", "90:00" (minutes and seconds), "2-12" (days and hours), "2-12:30:00": as "5400s". Any other
// text, a bare number among them, is returned as it is.
[[nodiscard]] std::string time_text(std::string_view text);
// "1G", "512M": as "1GiB", "512MiB". Any other text is returned as it is.
[[nodiscard]] std::string memory_text(std::string_view text);

inline constexpr std::string_view kMark = "#SBATCH";

struct Lines {
  JobText job;
  std::vector<std::string> options;   // what it sets of Aliquot's, as "--tasks"
  std::vector<std::string> left_out;  // "--partition (there are no partitions: ...)"
};
// The words of one line, without its mark. Errors: invalid_argument, an option that sbatch does not have,
// or a value that it lacks; refused, an option without which the job would be another job, with the way
// out.
[[nodiscard]] Result<Lines> read_line(const std::string& words);

// Why there is no such option of sbatch ("-p", "--array") here, and what to do; empty: it is none, or there
// is.
[[nodiscard]] std::string advice(std::string_view option);

// The command of Aliquot for one of Slurm ("squeue": "aliquot list"); empty: it is none of Slurm's.
[[nodiscard]] std::string_view command_for(std::string_view slurm);

}  // namespace aliquot::ctl::slurm
