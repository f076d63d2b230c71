// A disk image for tests of backends that boot one, and the job that boots it.
#pragma once

#include <cstdint>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <string>

#include "manager/hypervisor/spool.hpp"
#include "monitor/record/submission.hpp"
#include "monitor/sha256.hpp"

namespace aliquot {

// Its boot sector counts to `steps`: at each step it reads the last number from the second sector, compares
// it with the one that it has in a register, writes the next one there and says so on the console ("+"). It
// ends with 4; with 9 if disk and memory do not agree. From this source, by `as`:
//
//   start: cld; xor %ax,%ax; mov %ax,%ds; mov %ax,%es; mov %ax,%ss; mov $0x7C00,%sp; xor %si,%si
//   again: mov $0x0201,%ax; mov $0x8000,%bx; mov $2,%cx; mov $0x80,%dx; int $0x13; cmp %si,(%bx); jne bad
//          inc %si; mov %si,(%bx); mov $0x0301,%ax; mov $2,%cx; mov $0x80,%dx; int $0x13
//          mov $0x3F8,%dx; mov $'+',%al; out %al,(%dx); mov $10,%al; out %al,(%dx)
//          mov $LOOPS,%ecx; 1: addr32 loop 1b; cmp $STEPS,%si; jb again
//          mov $good,%si; jmp say
//   bad:   mov $wrong,%si
//   say:   mov $0x2F8,%dx; 2: lodsb; test %al,%al; jz 3f; out %al,(%dx); jmp 2b
//   3:     mov $0x604,%dx; mov $0x2000,%ax; out %ax,(%dx)           # power off, as QEMU has it,
//          mov $0xB004,%dx; out %ax,(%dx); hlt                      # and as Xen has it
inline std::string counting_disk(std::uint16_t steps, std::uint32_t loops) {
  const unsigned char code[] = {
      0xfc, 0x31, 0xc0, 0x8e, 0xd8, 0x8e, 0xc0, 0x8e, 0xd0, 0xbc, 0x00, 0x7c, 0x31, 0xf6, 0xb8, 0x01, 0x02,
      0xbb, 0x00, 0x80, 0xb9, 0x02, 0x00, 0xba, 0x80, 0x00, 0xcd, 0x13, 0x39, 0x37, 0x75, 0x2b, 0x46, 0x89,
      0x37, 0xb8, 0x01, 0x03, 0xb9, 0x02, 0x00, 0xba, 0x80, 0x00, 0xcd, 0x13, 0xba, 0xf8, 0x03, 0xb0, 0x2b,
      0xee, 0xb0, 0x0a, 0xee, 0x66, 0xb9, 0x00, 0x00, 0x00, 0x00, 0x67, 0xe2, 0xfd, 0x81, 0xfe, 0x00, 0x00,
      0x72, 0xc8, 0xbe, 0x65, 0x7c, 0xeb, 0x03, 0xbe, 0x7e, 0x7c, 0xba, 0xf8, 0x02, 0xac, 0x84, 0xc0, 0x74,
      0x03, 0xee, 0xeb, 0xf8, 0xba, 0x04, 0x06, 0xb8, 0x00, 0x20, 0xef, 0xba, 0x04, 0xb0, 0xef, 0xf4};
  constexpr std::size_t kLoopsAt = 57, kStepsAt = 66;
  const std::string good = "aliquot-status 1 exit 4\n";
  const std::string wrong = "aliquot-status 1 exit 9\n";
  std::string disk(1 << 20, '\0');
  disk.replace(0, sizeof code, reinterpret_cast<const char*>(code), sizeof code);
  std::memcpy(&disk[kLoopsAt], &loops, sizeof loops);
  std::memcpy(&disk[kStepsAt], &steps, sizeof steps);
  disk.replace(sizeof code, good.size(), good);
  disk.replace(sizeof code + good.size() + 1, wrong.size(), wrong);
  disk[510] = '\x55';
  disk[511] = '\xAA';
  return disk;
}

// Its memory, its disk and its console agree if it ends with 4 and has said "+" so often.
inline Submission counting_job(const Spool& spool, std::uint16_t steps, std::uint32_t loops = 20'000) {
  const std::string disk = counting_disk(steps, loops);
  const std::string content = sha256_hex(disk);
  std::filesystem::create_directories(spool.contents());
  std::ofstream(spool.content(content), std::ios::binary) << disk;
  Submission submission;
  submission.demand.need = cores(1);
  submission.guest_memory = mebibytes(32);
  submission.program = ImageBoot{"counting", content};
  return submission;
}

}  // namespace aliquot
