// OpenSSL's objects with an owner, and its error queue as a line of text.
#pragma once

#include <openssl/bio.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/x509v3.h>

#include <memory>
#include <string>

namespace tpu_admission::pki {

template <auto Free>
struct FreeWith {
  template <typename T>
  void operator()(T* object) const {
    Free(object);
  }
};

template <typename T, auto Free>
using Owned = std::unique_ptr<T, FreeWith<Free>>;

using BioPtr = Owned<BIO, BIO_free>;
using KeyPtr = Owned<EVP_PKEY, EVP_PKEY_free>;
using X509Ptr = Owned<X509, X509_free>;

inline BioPtr BioOf(const std::string& text) {
  return BioPtr(BIO_new_mem_buf(text.data(), static_cast<int>(text.size())));
}

inline std::string TextOf(BIO* bio) {
  char* data = nullptr;
  const long size = BIO_get_mem_data(bio, &data);
  return {data, static_cast<std::size_t>(size)};
}

// The newest reason in this thread's error queue, which is emptied.
inline std::string OpenSslError() {
  const unsigned long code = ERR_peek_last_error();
  ERR_clear_error();
  const char* reason = ERR_reason_error_string(code);
  return reason != nullptr ? reason : "unknown error";
}

// Without it OpenSSL would ask the terminal for the passphrase of an encrypted key.
inline int NoPassphrase(char*, int, int, void*) { return -1; }

// The next certificate, or null; leaves no error behind.
inline X509Ptr ReadX509(BIO* bio) {
  X509Ptr certificate(PEM_read_bio_X509(bio, nullptr, NoPassphrase, nullptr));
  ERR_clear_error();
  return certificate;
}

inline KeyPtr ReadKey(const std::string& pem) {
  KeyPtr key(PEM_read_bio_PrivateKey(BioOf(pem).get(), nullptr, NoPassphrase, nullptr));
  ERR_clear_error();
  return key;
}

}  // namespace tpu_admission::pki
