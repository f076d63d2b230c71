// `convert IN OUT`: a workload from one format into another.
#include <CLI/CLI.hpp>
#include <iostream>
#include <memory>

#include "tools/sim/commands.hpp"
#include "tools/sim/convert/formats.hpp"
#include "tools/sim/metrics/text_sink.hpp"
#include "tools/sim/workload_options.hpp"

namespace aliquot {
namespace {

struct Typed {
  TypedWorkload workload;
  std::string out, to;
};

int convert(const Typed& typed) {
  const auto format = typed.to.empty() ? format_of(typed.out) : format_called(typed.to);
  if (!format) return complain(format.error());
  auto read = read_options(typed.workload);
  if (!read) return complain(read.error());
  read->as_written = true;
  const auto workload = read_workload(typed.workload.path, *read);
  if (!workload) return complain(workload.error());
  auto sink = TextSink::create(typed.out);
  if (!sink) return complain(sink.error());
  sink->write(write_workload(*workload, *format, read->shape.nodes));
  if (auto written = sink->close(); !written) return complain(written.error());
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

}  // namespace

void add_convert_command(CLI::App& app, int& exit_code) {
  const auto typed = std::make_shared<Typed>();
  CLI::App* command =
      app.add_subcommand("convert", "write a workload in another format: CSV, SWF or Batsim JSON");
  command->add_option("in", typed->workload.path, "CSV, SWF or Batsim JSON, plain or gzip")->required();
  command->add_option("out", typed->out, "the file to write: .csv, .swf or .json, packed if it ends in .gz")
      ->required();
  command->add_option("--to", typed->to, "csv, swf or batsim, whatever its name ends in");
  add_reading_options(*command, typed->workload);
  command->callback([typed, &exit_code] { exit_code = convert(*typed); });
}

}  // namespace aliquot
