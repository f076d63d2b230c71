// `convert IN OUT`: a workload from one format into another.
#include <iostream>

#include "tools/sim/commands.hpp"
#include "tools/sim/convert/formats.hpp"
#include "tools/sim/metrics/text_sink.hpp"

namespace aliquot {

int convert_command(const ConvertOptions& typed) {
  const auto format = typed.to.empty() ? format_of(typed.out) : format_called(typed.to);
  if (!format) return report_error(format.error());
  auto read = read_options(typed.workload);
  if (!read) return report_error(read.error());
  read->as_written = true;
  const auto workload = read_workload(typed.workload.path, *read);
  if (!workload) return report_error(workload.error());
  auto sink = TextSink::create(typed.out);
  if (!sink) return report_error(sink.error());
  sink->write(write_workload(*workload, *format, read->shape.nodes));
  if (auto written = sink->close(); !written) return report_error(written.error());
  for (const std::string& note : workload->notes) std::cerr << "aliquot-sim: note: " << note << "\n";
  if (workload->skipped > 0) {
    std::cerr << "aliquot-sim: note: without a run time, or without processors, and skipped: "
              << workload->skipped << " jobs\n";
  }
  for (const std::string& remark : remarks(*workload, *format)) {
    std::cerr << "aliquot-sim: note: " << remark << "\n";
  }
  std::cout << workload->jobs.size() << " jobs in " << typed.out << "\n";
  return 0;
}

}  // namespace aliquot
