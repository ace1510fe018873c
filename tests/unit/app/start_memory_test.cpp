#include "app/start_memory.h"

#include <dlfcn.h>
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <fstream>
#include <sstream>
#include <string>

namespace tpu_admission::app::start_memory_test {
namespace {

std::string Mapping(const std::string& first, const std::string& anonymous,
                    const std::string& swapped = "0") {
  return first + "\nSize:   8 kB\nAnonymous:   " + anonymous + " kB\nSwap:   " + swapped +
         " kB\nSwapPss:   0 kB\nVmFlags: rd mr\n";
}

TEST(UnchangedFileMappings, AreThoseOfFilesThatNobodyWrites) {
  const std::string text =
      Mapping("1000-3000 r--p 00000000 fd:00 12   /usr/bin/tpu-admission", "0") +
      Mapping("3000-5000 r-xp 00002000 fd:00 12   /usr/bin/tpu-admission", "0");
  const auto found = UnchangedFileMappings(text);
  ASSERT_EQ(found.size(), 2u);
  EXPECT_EQ(found[0].begin, 0x1000u);
  EXPECT_EQ(found[1].end, 0x5000u);
}

TEST(UnchangedFileMappings, LeaveOutWhatHasChangedOrMayAndWhatIsNoFile) {
  const std::string text =
      Mapping("1000-2000 r-xp 00000000 fd:00 12   /lib/with-a-breakpoint.so", "4") +
      Mapping("2000-3000 r--p 00000000 fd:00 12   /lib/relocated.so", "40") +
      Mapping("2000-3000 r--p 00000000 fd:00 12   /lib/relocated.so", "0", "40") +
      Mapping("3000-4000 rw-p 00000000 fd:00 12   /lib/variables.so", "0") +
      Mapping("4000-5000 r--s 00000000 fd:00 12   /var/shared", "0") +
      Mapping("5000-6000 r-xp 00000000 00:00 0   [vdso]", "0") +
      Mapping("6000-7000 r--p 00000000 00:00 0 ", "0");
  EXPECT_TRUE(UnchangedFileMappings(text).empty());
}

// As emulators write it, which do not know.
TEST(UnchangedFileMappings, LeaveOutThatOfWhichNothingIsResident) {
  EXPECT_TRUE(UnchangedFileMappings("1000-3000 r--p 00000000 fd:00 12   /usr/bin/tpu-admission\n"
                                    "Rss:   0 kB\nAnonymous:   0 kB\nSwap:   0 kB\n")
                  .empty());
}

TEST(UnchangedFileMappings, ReadNothingFromWhatIsNotOfThatForm) {
  for (const char* text :
       {"", "\n", "Anonymous: 0 kB\n", "x-y r-xp /a\nAnonymous: 0 kB\n", "1000-2000 r-xp 0 0 0 /a",
        "1000-2000 r-xp 0 0 0 /a\nAnonymous:\n", "2000-1000 r-xp 0 0 0 /a\nAnonymous: 0 kB\n"}) {
    EXPECT_TRUE(UnchangedFileMappings(text).empty()) << text;
  }
}

std::string OwnSmaps() {
  std::ostringstream text;
  text << std::ifstream("/proc/self/smaps").rdbuf();
  return text.str();
}

// Of code, of which ThreadSanitizer keeps no account.
[[gnu::no_sanitize_thread]] char Byte(const char* place) { return *place; }
[[gnu::no_sanitize_thread]] void SetByte(char* place, char value) { *place = value; }

// As a debugger sets a breakpoint.
TEST(GiveBackWhatTheStartTook, KeepsAPageThatWasWritten) {
  const auto page_bytes = static_cast<std::uintptr_t>(sysconf(_SC_PAGESIZE));
  auto* code = static_cast<char*>(dlsym(RTLD_DEFAULT, "getservbyport_r"));
  ASSERT_NE(code, nullptr);
  void* page = reinterpret_cast<void*>(reinterpret_cast<std::uintptr_t>(code) & ~(page_bytes - 1));
  if (mprotect(page, page_bytes, PROT_READ | PROT_WRITE | PROT_EXEC) != 0) GTEST_SKIP();
  const char before = Byte(code);
  const char breakpoint = static_cast<char>(0xcc);
  SetByte(code, breakpoint);
  mprotect(page, page_bytes, PROT_READ | PROT_EXEC);
  GiveBackWhatTheStartTook(DiskFiles());
  EXPECT_EQ(Byte(code), breakpoint);
  mprotect(page, page_bytes, PROT_READ | PROT_WRITE | PROT_EXEC);
  SetByte(code, before);
  mprotect(page, page_bytes, PROT_READ | PROT_EXEC);
}

TEST(GiveBackWhatTheStartTook, TakesNothingThatIsInUse) {
  EXPECT_GT(UnchangedFileMappings(OwnSmaps()).size(), 0u);
  const std::string text(100'000, 'a');
  GiveBackWhatTheStartTook(DiskFiles());
  EXPECT_EQ(static_cast<std::size_t>(std::ranges::count(text, 'a')), text.size());
  EXPECT_GT(UnchangedFileMappings(OwnSmaps()).size(), 0u) << "what was used since is there again";
}

}  // namespace
}  // namespace tpu_admission::app::start_memory_test
