// The formats of a workload file, how a file's name tells them, and what each cannot say.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "tools/sim/workload.hpp"

namespace aliquot {

enum class WorkloadFormat : std::uint8_t { csv, swf, batsim };

// "csv", "swf", "batsim". Errors: no such format.
[[nodiscard]] Result<WorkloadFormat> format_called(const std::string& name);
// By its end: .csv, .swf, .json, each with .gz if wanted. Errors: another end.
[[nodiscard]] Result<WorkloadFormat> format_of(const std::string& path);

// `nodes`: of the system, where the format names it; 0: as many as the widest job.
[[nodiscard]] std::string write_workload(const Workload& workload, WorkloadFormat format,
                                         std::uint32_t nodes);

// One remark, with the number of jobs, for each thing that the workload says and this format cannot, or
// says in a way that not everybody reads. The workload is one that was read as written.
[[nodiscard]] std::vector<std::string> remarks(const Workload& workload, WorkloadFormat format);

}  // namespace aliquot
