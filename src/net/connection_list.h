// The connections of one thread, and which of them wait for their peer, longest first.
//
// Belongs to its thread, so nothing here is locked. Going idle and busy is moving a list node: no
// allocation on the way of a request.
#pragma once

#include <chrono>
#include <list>
#include <optional>

namespace tpu_admission::net {

class Connection {
 public:
  using Time = std::chrono::steady_clock::time_point;

  virtual ~Connection() = default;
  virtual void CheckDeadline(Time now) = 0;  // ends the pending operation if it is too late
  virtual void EndIfIdle() = 0;              // says goodbye if it is between two requests
  virtual void Evict() = 0;                  // closes at once and returns its place at the gate
};

class ConnectionList {
 public:
  using Time = Connection::Time;
  struct Entry {
    Connection* connection;
    Time idle_since;
    bool idle;
  };
  using Handle = std::list<Entry>::iterator;

  // New connections count as idle: they wait for their peer's handshake.
  Handle Add(Connection& connection, Time now) {
    return idle_.insert(idle_.end(), Entry{&connection, now, true});
  }
  void Remove(Handle entry) { (entry->idle ? idle_ : busy_).erase(entry); }

  void MarkIdle(Handle entry, Time now) {
    idle_.splice(idle_.end(), entry->idle ? idle_ : busy_, entry);
    entry->idle = true;
    entry->idle_since = now;
  }
  void MarkBusy(Handle entry) {
    busy_.splice(busy_.end(), entry->idle ? idle_ : busy_, entry);
    entry->idle = false;
  }

  std::optional<Time> LongestIdleSince() const {
    if (idle_.empty()) return std::nullopt;
    return idle_.front().idle_since;
  }
  // False if there is none. The connection leaves the list of its own when it unwinds; until then
  // it is not found idle again.
  bool EvictLongestIdle() {
    if (idle_.empty()) return false;
    const Handle victim = idle_.begin();
    MarkBusy(victim);
    victim->connection->Evict();
    return true;
  }

  // `visit` may not add or remove connections.
  template <typename Visit>
  void ForEach(Visit visit) {
    for (Entry& entry : idle_) visit(*entry.connection);
    for (Entry& entry : busy_) visit(*entry.connection);
  }

 private:
  std::list<Entry> idle_;  // in the order of idle_since
  std::list<Entry> busy_;
};

}  // namespace tpu_admission::net
