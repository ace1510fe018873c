// A system that looks a name up for as long as it likes.
#include <dlfcn.h>
#include <netdb.h>

#include <atomic>
#include <chrono>
#include <string_view>
#include <thread>

#include "unit/kube/client_fixture.h"

namespace {

std::atomic<bool> looks{true};  // for slow.test
std::atomic<int> lookups{0};

}  // namespace

// In place of libc's, in this program.
extern "C" int getaddrinfo(const char* node, const char* service, const addrinfo* hints,
                           addrinfo** found) {
  static const auto real =
      reinterpret_cast<decltype(&getaddrinfo)>(dlsym(RTLD_NEXT, "getaddrinfo"));
  if (node == nullptr || std::string_view(node) != "slow.test") {
    return real(node, service, hints, found);
  }
  ++lookups;
  while (looks) std::this_thread::sleep_for(std::chrono::milliseconds(5));
  return EAI_AGAIN;
}

namespace tpu_admission::kube::name_resolver_test {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;
using std::chrono::steady_clock;
using ::testing::HasSubstr;

class NameResolverTest : public ClientFixture {
 protected:
  NameResolverTest() {
    looks = true;
    lookups = 0;
  }
  ~NameResolverTest() override { looks = false; }
};

TEST_F(NameResolverTest, ANameIsLookedUpForNoLongerThanTheDeadline) {
  ClientOptions options = Options("https://slow.test:443");
  options.deadline = options.attempt_deadline = milliseconds(100);
  const auto client = ClientOf(options);
  for (int call = 0; call < 3; ++call) {
    const auto start = steady_clock::now();
    const Answer answer = client->Get(secret_);
    EXPECT_LT(steady_clock::now() - start, seconds(5));
    EXPECT_THAT(answer.error, HasSubstr("cannot resolve its name: no answer within the deadline"));
  }
  EXPECT_EQ(lookups, 1) << "the one that is under way is waited for";
  looks = false;
  EXPECT_THAT(client->Get(secret_).error, HasSubstr("cannot resolve its name: Host not found"));
}

TEST_F(NameResolverTest, AnInterruptEndsTheWait) {
  ClientOptions options = Options("https://slow.test:443");
  options.deadline = options.attempt_deadline = seconds(60);
  const auto client = ClientOf(options);
  std::thread other([&] {
    while (lookups == 0) std::this_thread::sleep_for(milliseconds(1));
    client->Interrupt();
  });
  const auto start = steady_clock::now();
  EXPECT_FALSE(client->Get(secret_).ok());
  EXPECT_LT(steady_clock::now() - start, seconds(20));
  other.join();
}

}  // namespace
}  // namespace tpu_admission::kube::name_resolver_test
