// The formats of a workload file: recognized by the file's name, written, and what each cannot express.
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

// Remarks, each with a number of jobs, on what the format cannot express of this workload, or expresses in
// a way that not every reader accepts. The workload must have been read as written.
[[nodiscard]] std::vector<std::string> remarks(const Workload& workload, WorkloadFormat format);

}  // namespace aliquot
