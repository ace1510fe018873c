// Linked into the static program only, and run before main(): glibc shall load no shared library of
// the system that it runs on, which would be of another build, or of another libc. So hosts are
// found by /etc/hosts and DNS, whatever /etc/nsswitch.conf names.
#include <nss.h>

namespace {

__attribute__((constructor)) void LoadNoForeignLibraries() {
  __nss_configure_lookup("hosts", "files dns");
}

}  // namespace
