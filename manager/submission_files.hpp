// Takes in the files of submissions (intake.hpp) in the background, and bounds the bytes of the archives
// that wait for it. Belongs to the loop.
#pragma once

#include <cstddef>
#include <functional>
#include <map>
#include <set>
#include <string>

#include "config/settings.hpp"
#include "manager/api/answers/cluster_answers.hpp"
#include "manager/api/wire/job_server.hpp"
#include "manager/background_tasks.hpp"
#include "manager/core/state.hpp"
#include "manager/intake/intake.hpp"

namespace aliquot {

class SubmissionFiles {
 public:
  // All outlive this. `settings` may be replaced by a reload between two calls.
  SubmissionFiles(BackgroundTasks& tasks, ContentStore& contents, ImageStore& images,
                  const Settings& settings, Inbox& inbox)
      : tasks_(tasks), contents_(contents), images_(images), settings_(settings), copies_(inbox) {}
  SubmissionFiles(const SubmissionFiles&) = delete;
  SubmissionFiles& operator=(const SubmissionFiles&) = delete;
  // Does not wait until an archive is copied: its job is not submitted.
  ~SubmissionFiles() { contents_.stop_copying(); }

  // What a client handed in. A dry run keeps nothing.
  struct Handed {
    Program program;
    Blob archive;
    std::string archive_file;    // its path, if it is no blob
    Memory archive_size;         // of the file, as the client says
    std::set<std::string> kept;  // archives that jobs of the user have, if this one is a file
    UserIds user;
    Memory guest_memory;
    std::optional<HypervisorKind> hypervisor;  // of the nodes on which it runs; none: any
    bool dry_run = false;
  };
  // Called by the loop, with the program and the hashes of its files.
  using Done = std::function<void(Result<Program>)>;
  void take(Handed handed, Done done);
  // How far the copies are that a user waits for.
  [[nodiscard]] std::optional<CopyUnderWay> copying(std::uint32_t uid) const;
  // Of a program that was taken, for one more job.
  void use_again(const Program& program);
  // Of a program that was taken and becomes no job.
  void release(const Program& program);

 private:
  [[nodiscard]] IntakeRules rules_for(const Handed& handed) const;
  // The archive is a file.
  void copy(Handed handed, Done done);

  BackgroundTasks& tasks_;
  ContentStore& contents_;
  ImageStore& images_;
  const Settings& settings_;
  std::size_t archive_bytes_ = 0;                 // that background tasks hold
  std::multimap<std::uint32_t, Memory> copying_;  // by user: the sizes of files
  BackgroundTasks copies_;  // of files that may be large; the last member: it ends first
};

// What the request hands in beside the submission, which comes from it.
[[nodiscard]] SubmissionFiles::Handed handed_over(const Submit& request, const Submission& submission,
                                                  Blob archive, const Peer& peer, const CoreState& state);

}  // namespace aliquot
