// Certificate files as a server finds them.
#pragma once

#include <string>

#include "support/self_signed.h"
#include "support/temp_dir.h"
#include "tpu_admission/net/server.h"

namespace tpu_admission::support {

// A self-signed pair; `name` tells it from others.
inline pki::KeyPair MakeCertificate(const std::string& name = "localhost") {
  return MakeSelfSigned({name, "127.0.0.1"});
}

// A mounted Secret as the kubelet lays it out: tls.crt -> ..data/tls.crt, ..data -> a directory
// that is replaced by renaming one symbolic link.
class MountedSecret {
 public:
  MountedSecret() = default;
  explicit MountedSecret(const pki::KeyPair& pair) { Swap(pair); }

  void Swap(const pki::KeyPair& pair) {
    namespace fs = std::filesystem;
    const std::string version = "..version" + std::to_string(++version_);
    fs::create_directory(directory_ / version);
    WriteText(directory_ / version / "tls.crt", pair.certificate);
    WriteText(directory_ / version / "tls.key", pair.private_key);
    fs::create_directory_symlink(version, directory_ / "..data_tmp");
    fs::rename(directory_ / "..data_tmp", directory_ / "..data");
    if (version_ > 1) return;
    fs::create_symlink("..data/tls.crt", directory_ / "tls.crt");
    fs::create_symlink("..data/tls.key", directory_ / "tls.key");
  }

  net::TlsFiles files() const {
    return {.certificate = directory_ / "tls.crt", .private_key = directory_ / "tls.key"};
  }

 private:
  TempDir directory_;
  int version_ = 0;
};

}  // namespace tpu_admission::support
