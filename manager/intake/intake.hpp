// Takes what the program of a submission is made of: reads the files it names with the rights of the user,
// checks them, and keeps their content; an image stands in the image store already. From then on the job
// depends on nothing that its user, or anybody else, can change. Reads and writes files, so it is called by
// background tasks.
#pragma once

#include <set>
#include <string>
#include <vector>

#include "manager/intake/content_store.hpp"
#include "manager/intake/image_store.hpp"
#include "manager/intake/user_files.hpp"
#include "monitor/record/submission.hpp"

namespace aliquot {

struct IntakeRules {
  std::vector<std::string> roots;              // directories whose files users may name
  Memory max_size;                             // of each kernel and initrd
  Memory guest_memory;                         // of the VM, into which a kernel and an initrd are loaded
  std::optional<HypervisorKind> hypervisor{};  // of the nodes on which the job runs; none: any
};

// Does the program name files of the user, or an image?
[[nodiscard]] bool needs_contents(const Program& program);

// Can the user name these files, and is there this image? For a dry run: the program as it is, and nothing
// is kept.
[[nodiscard]] Result<Program> check_files(Program program, const UserIds& user, const IntakeRules& rules,
                                          const ImageStore& images);

// What an archive that is a file may have.
struct ArchiveQuota {
  Memory of_user;                // all archives of a user's jobs together
  Memory waiting;                // of these, what is being copied
  std::set<std::string> kept{};  // and the contents that its jobs have
};

// The archive of a submission: its bytes, whose hash the caller has compared to what the program names, or
// a file of the user.
struct HandedArchive {
  std::string_view bytes{};
  std::string file{};
  Memory size{};  // of the file, as the submission says
  ArchiveQuota quota{};
};

// Keeps the archive and the files or the image that the program names, and notes the hashes of these in it.
// After an error nothing is kept.
[[nodiscard]] Result<Program> take_in(Program program, const HandedArchive& archive, const UserIds& user,
                                      const IntakeRules& rules, ContentStore& store, ImageStore& images);

}  // namespace aliquot
