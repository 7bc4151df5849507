/// \file
/// Every fixed limit of Muster, with its unit last, and the relations that must hold between them.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>

namespace muster::limits {

using namespace std::chrono_literals;

// Store.
inline constexpr std::size_t key_bytes_max = 1024;
inline constexpr std::size_t value_bytes_max = 64U << 20;
inline constexpr std::size_t table_bytes_max = 1U << 30;
inline constexpr std::size_t keys_a_request_max = 1024;
inline constexpr std::size_t listed_keys_max = 4096;       ///< of one page
inline constexpr std::size_t listed_bytes_max = 1U << 20;  ///< of one page's keys
inline constexpr std::size_t watches_a_link_max = 1024;
/// That one request of several keys may lead to, each for one who is told: as if each of the most
/// keys were watched so often. It is one step, and nobody else is heard meanwhile.
inline constexpr std::size_t told_changes_max = 64 * keys_a_request_max;

// Frames.
inline constexpr std::size_t frame_header_bytes = 16;
inline constexpr std::size_t frame_body_bytes_max = value_bytes_max + 4096;
inline constexpr std::size_t hello_bytes_max = 1024;

// Version 0: its frames, and what one packed body may hold. The reference's numbers.
inline constexpr std::size_t v0_frame_body_bytes_max = 10U << 20;
inline constexpr std::size_t v0_body_bytes_min = 34;  ///< without keys and values
inline constexpr std::size_t v0_value_bytes_max =     ///< that an answer carries
    v0_frame_body_bytes_max - v0_body_bytes_min - 8;
inline constexpr std::size_t v0_sent_values_bytes_max =  ///< of one request, under any key
    v0_frame_body_bytes_max - v0_body_bytes_min - 3 * 8 - key_bytes_max;
inline constexpr std::size_t v0_items_max = 10;
inline constexpr std::size_t v0_key_bytes_max = 2048;
/// The reference drops an answer when 48 are on their way: so a client keeps fewer in flight.
inline constexpr std::size_t v0_in_flight_max = 32;

// Before admission. A whole job may come from one address, so there is no limit a source.
inline constexpr auto hello_time_max = 10s;
inline constexpr std::size_t strangers_max = 4096;
inline constexpr auto source_line_interval = 10s;  ///< a source's noise: one log line in so long
inline constexpr std::size_t sources_max = 256;    ///< sources of noise that are remembered

// TLS. Until a peer's first message is complete it is only stored; then its handshake needs memory,
// of which all together have less than 2 MiB: so few at a time, the others wait in order.
inline constexpr std::size_t tls_hello_bytes_max = 3U << 10;
inline constexpr std::size_t tls_handshakes_max = 32;
inline constexpr auto tls_handshake_time_max = 3s;  ///< while others wait for their turn
inline constexpr std::uint64_t tls_records_a_key_max = 1U << 23;  ///< RFC 8446 says 2^24.5
inline constexpr std::size_t tls_file_bytes_max = 4U << 20;       ///< certificates, revocations

// What a serving process may open beside a connection a rank: its own files, and strangers.
inline constexpr std::size_t descriptors_reserve = 64;

// Requests of one link that wait for an answer, beyond its rounds.
inline constexpr std::size_t waits_a_link_max = 65536;

// A peer that does not read: what may wait unsent for it, beyond one largest answer. Who takes
// something of it now and then is slow, not deaf; but nobody may be as slow as the last of these.
inline constexpr std::size_t unsent_bytes_max = 2 * frame_body_bytes_max;
inline constexpr auto deaf_time_max = 2s;
inline constexpr std::size_t slow_bytes_max = 8 * unsent_bytes_max;
// Whose answers pile up is heard again when less than this waits to be written. A peer that takes
// nothing meanwhile holds little: it may take longer.
inline constexpr std::size_t unread_answers_max = 1U << 20;
inline constexpr auto stalled_time_max = 10s;

// Ranks and rounds.
inline constexpr std::uint32_t ranks_max = 1'000'000;
inline constexpr std::size_t label_bytes_max = 255;
inline constexpr std::size_t round_bytes_max = 64U << 20;
inline constexpr std::size_t tombstones_max = 1024;
inline constexpr std::size_t groups_a_rank_max = 1024;  ///< subsets that a rank is in at a time
inline constexpr std::uint32_t status_rows_max = 4096;  ///< rows of one page of the roster
inline constexpr std::size_t named_ranks_max = 64;      ///< an error or a status row lists so many

// Text from a peer, as it may appear in an error.
inline constexpr std::size_t text_bytes_max = 512;
inline constexpr std::size_t host_bytes_max = 255;
inline constexpr std::size_t job_id_bytes_max = 64;

// Time. The server answers a little before the caller's deadline, so that the verdict still gets
// there.
inline constexpr auto reserve_max = 50ms;
inline constexpr auto gathering_line_period = 10s;  ///< how often a server says who is missing
inline constexpr auto answer_grace = 100ms;  ///< so long after a deadline an answer is waited for
/// A round's verdict for longer: who gives it up is lost to its job, and that a server's thread
/// does not run for some tenths of a second is nothing special on a busy host.
inline constexpr auto verdict_grace = 1s;
inline constexpr auto wait_max = std::chrono::hours{24 * 45};  ///< fits 32 bits of milliseconds

// Signs of life. Who was silent for so many heartbeats is gone.
inline constexpr auto heartbeat = 2s;  ///< unless somebody says another
inline constexpr auto heartbeat_min = 10ms;
inline constexpr auto heartbeat_max = 3600s;
inline constexpr int silent_heartbeats_max = 5;

// Contract.
inline constexpr std::size_t contract_entries_max = 256;
inline constexpr std::size_t entry_name_bytes_max = 128;
inline constexpr std::size_t entry_value_bytes_max = 4096;
inline constexpr std::size_t contract_bytes_max = 64U << 10;
/// One rank's side of an agreement: beyond the contract's bytes a head, and of each entry a digest.
inline constexpr std::size_t agreement_record_bytes_max =
    contract_bytes_max + 40 + 34 * contract_entries_max;
/// How two contracts differ, as an error says it: what does not fit is counted.
inline constexpr std::size_t mismatch_text_bytes_max = 4096;
inline constexpr std::size_t mismatch_sides_max = 8;        ///< sides, or forms of one entry
inline constexpr std::size_t mismatch_rank_ranges_max = 4;  ///< "0-6, 9, 11-12"
/// Renewals that the tool lists at once.
inline constexpr std::uint64_t schedule_rows_max = 100'000;

static_assert(frame_body_bytes_max >= value_bytes_max + key_bytes_max + 64,
              "a SET of the largest value under the longest key fits a frame");
static_assert(v0_frame_body_bytes_max <= frame_body_bytes_max,
              "what a version 0 client sends fits the server's frames");
static_assert(round_bytes_max <= value_bytes_max, "what one rank may bring fits a frame");
static_assert(unsent_bytes_max > frame_body_bytes_max, "the largest answer can always be queued");
static_assert(tls_hello_bytes_max < 4096, "a stranger costs less than 4 KiB");
static_assert(tls_handshake_time_max < hello_time_max,
              "who waits has time left when its turn comes");
static_assert(hello_bytes_max >= job_id_bytes_max + host_bytes_max + 128,
              "a hello holds its names");
static_assert(std::chrono::milliseconds{wait_max}.count() <= 0xffffffff);
static_assert(heartbeat_min > 0ms && heartbeat >= heartbeat_min && heartbeat <= heartbeat_max);
static_assert(silent_heartbeats_max >= 4, "a peer whose beat comes late is not taken for gone");
static_assert(answer_grace > reserve_max && verdict_grace >= answer_grace,
              "an answer on its way is not taken for lost");
static_assert(contract_bytes_max >= entry_value_bytes_max + entry_name_bytes_max);
static_assert(agreement_record_bytes_max <= round_bytes_max / 512,
              "512 ranks can agree on the largest contract in one round");

}  // namespace muster::limits
