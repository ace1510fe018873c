// Without memory a connection is lost, and no more than that.
#include <gtest/gtest.h>
#include <openssl/crypto.h>

#include <cstdlib>
#include <new>

#include "support/test_server.h"

namespace tpu_admission::net::no_memory_test {
namespace {

using namespace support;

// OpenSSL's allocator, which fails on demand. It can be exchanged only before the first use.
std::atomic<bool> no_memory{false};

void* Allocate(std::size_t size, const char*, int) {
  return no_memory ? nullptr : std::malloc(size);
}
void* Reallocate(void* memory, std::size_t size, const char*, int) {
  return no_memory ? nullptr : std::realloc(memory, size);
}
void Free(void* memory, const char*, int) { std::free(memory); }
const bool exchanged = CRYPTO_set_mem_functions(Allocate, Reallocate, Free) == 1;

TEST(NoMemoryTest, AConnectionWithoutATlsSessionIsClosed) {
  ASSERT_TRUE(exchanged);
  TestServer server;
  no_memory = true;
  HttpClient lost(server.server->port(), HttpClient::Transport::kPlain);
  EXPECT_TRUE(lost.IsClosed());
  no_memory = false;
  EXPECT_TRUE(server.Connect().Exchange(Post("/x", "")));
}

// Throws when the next connection comes, as an allocation may.
class ThrowingObserver final : public RecordingObserver {
 public:
  void OnConnections(int delta) override {
    if (delta > 0 && throws.exchange(false)) throw std::bad_alloc();
    RecordingObserver::OnConnections(delta);
  }
  std::atomic<bool> throws{true};
};

TEST(NoMemoryTest, TheListenerGoesOn) {
  const MountedSecret secret(MakeCertificate());
  ThrowingObserver observer;
  Server server(
      LoopbackOptions(secret.files()), [] { return std::make_unique<EchoHandler>(); }, observer);
  ASSERT_TRUE(server.Start());
  EXPECT_FALSE(HttpClient(server.port()).connected());
  EXPECT_TRUE(HttpClient(server.port()).Exchange(Post("/x", "")));
  EXPECT_EQ(observer.exceptions().size(), 1u);
}

}  // namespace
}  // namespace tpu_admission::net::no_memory_test
