// Memory that nobody needs any more once the server listens.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "tpu_admission/base/files.h"

namespace tpu_admission::app {

struct AddressRange {
  std::uintptr_t begin = 0;
  std::uintptr_t end = 0;
};

// Of a text as proc_pid_smaps(5) has it: the mappings that are as their files are, and that nobody
// may write. Relocated tables are not among them, nor code in which a debugger or a probe has set a
// breakpoint.
std::vector<AddressRange> UnchangedFileMappings(std::string_view smaps);

// Lets go of the code and the tables that the start alone has read, of program and libraries. They
// stay in the page cache, where what is used again is found while the kernel keeps it.
void GiveBackWhatTheStartTook(const Files& files);

}  // namespace tpu_admission::app
