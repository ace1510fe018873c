#include "app/node_watcher.h"

#include <algorithm>
#include <random>
#include <utility>

namespace tpu_admission::app {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

constexpr milliseconds kLook{1'000};

// One attempt each, since what repeats it knows more. A page is 500 nodes of at most some 20 KiB.
kube::ClientOptions WatchingOptions(kube::ClientOptions options) {
  options.attempts = 1;
  options.deadline = options.attempt_deadline = seconds(30);
  options.body_bytes = 16u << 20;
  return options;
}

}  // namespace

Result<std::unique_ptr<NodeClients>> NodeClients::Make(const kube::ClientOptions& options) {
  auto clients = std::make_unique<NodeClients>();
  TPU_ADMISSION_TRY(clients->watching, kube::Client::Make(WatchingOptions(options)));
  TPU_ADMISSION_TRY(clients->writing, kube::Client::Make(options));
  return clients;
}

NodeWatcher::NodeWatcher(NodeClients& clients, kube::ObjectPath config_map, const Clock& clock,
                         std::function<bool()> leading, controller::Observer& observer)
    : clients_(clients),
      leading_(std::move(leading)),
      recorder_(*clients.watching, *clients.writing, std::move(config_map), clock, leading_,
                observer) {}

void NodeWatcher::Start() {
  watching_ = std::jthread([this](const auto& stop) { Watch(stop); });
  writing_ = std::jthread([this](const auto& stop) { Write(stop); });
}

void NodeWatcher::Stop() {
  watching_.request_stop();
  writing_.request_stop();
  clients_.watching->Interrupt();
  clients_.writing->Interrupt();
  if (watching_.joinable()) watching_.join();
  if (writing_.joinable()) writing_.join();
}

void NodeWatcher::Watch(const std::stop_token& stop) {
  std::minstd_rand random{std::random_device{}()};
  std::uniform_real_distribution<double> spread(0, 1);
  const auto go_on = [&] { return !stop.stop_requested() && leading_(); };
  for (milliseconds wait{0}; watch_sleeper_.Sleep(stop, wait);) {
    if (leading_()) {
      wait = recorder_.Watch(go_on, spread(random));
    } else {
      recorder_.Forget();
      wait = kLook;
    }
  }
}

void NodeWatcher::Write(const std::stop_token& stop) {
  while (write_sleeper_.Sleep(stop, kLook)) recorder_.Write();
}

}  // namespace tpu_admission::app
