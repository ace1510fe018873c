#include "app/start_memory.h"

#include <link.h>
#include <malloc.h>
#include <sys/mman.h>

#include <algorithm>
#include <charconv>
#include <optional>
#include <string>

#include "tpu_admission/base/text.h"

namespace tpu_admission::app {
namespace {

constexpr std::size_t kMaxSmapsBytes = 4 << 20;

std::optional<std::uintptr_t> Hexadecimal(std::string_view text) {
  std::uintptr_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number, 16);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return number;
}

// "7f00-7f10 r-xp 00000000 fd:00 1234    /usr/lib/libssl.so.3": private, of a file and not
// writable.
std::optional<AddressRange> FileMapping(std::string_view line) {
  const auto begin = Hexadecimal(TakeUntil(line, '-'));
  const auto end = Hexadecimal(TakeUntil(line, ' '));
  const std::string_view rights = TakeUntil(line, ' ');
  if (!begin || !end || *begin >= *end || line.find('/') == line.npos) return std::nullopt;
  if (rights != "r--p" && rights != "r-xp") return std::nullopt;
  return AddressRange{*begin, *end};
}

// Called for each object that is loaded. None is unloaded meanwhile, so that nothing else can have
// come where its segments are since the mappings were read.
int GiveBack(dl_phdr_info* object, std::size_t, void* mappings) {
  const auto& unchanged = *static_cast<const std::vector<AddressRange>*>(mappings);
  for (int i = 0; i < object->dlpi_phnum; ++i) {
    const auto& segment = object->dlpi_phdr[i];
    const std::uintptr_t begin = object->dlpi_addr + segment.p_vaddr;
    if (segment.p_type != PT_LOAD || (segment.p_flags & PF_W) != 0) continue;
    for (const AddressRange& mapping : unchanged) {
      if (begin < mapping.begin || begin + segment.p_memsz > mapping.end) continue;
      madvise(reinterpret_cast<void*>(mapping.begin), mapping.end - mapping.begin, MADV_DONTNEED);
    }
  }
  return 0;
}

}  // namespace

std::vector<AddressRange> UnchangedFileMappings(std::string_view smaps) {
  std::vector<AddressRange> found;
  std::optional<AddressRange> mapping;
  while (!smaps.empty()) {
    std::string_view line = TakeUntil(smaps, '\n');
    const std::string_view name = line.substr(0, line.find(' '));
    if (!name.ends_with(':')) {
      mapping = FileMapping(line);
    } else if (name == "Rss:" && line.ends_with(" 0 kB")) {
      mapping.reset();  // nothing to give back, or an emulator's text that knows nothing
    } else if (mapping && (name == "Anonymous:" || name == "Swap:")) {
      const bool unchanged = line.ends_with(" 0 kB");
      if (unchanged && name == "Anonymous:") {
        found.push_back(*mapping);
      } else if (!unchanged && name == "Swap:" && !found.empty() &&
                 found.back().begin == mapping->begin) {
        found.pop_back();
      }
    }
  }
  return found;
}

void GiveBackWhatTheStartTook(const Files& files) {
  {
    const Result<std::string> smaps = files.Read("/proc/self/smaps", kMaxSmapsBytes);
    if (!smaps) return;
    std::vector<AddressRange> unchanged = UnchangedFileMappings(*smaps);
    dl_iterate_phdr(GiveBack, &unchanged);
  }
  malloc_trim(0);
}

}  // namespace tpu_admission::app
