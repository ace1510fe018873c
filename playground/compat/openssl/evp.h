// The page shows no checksum of its catalog, and needs no OpenSSL.
#pragma once

#include <cstddef>

#define EVP_MAX_MD_SIZE 64
inline const void* EVP_sha256() { return nullptr; }
inline int EVP_Digest(const void*, std::size_t, unsigned char*, unsigned int* size, const void*,
                      void*) {
  *size = 0;
  return 1;
}
