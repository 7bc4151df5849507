/// \file
/// The first bytes of a link, both ways. Everything after a ServerHello is frames.
///
///     client                                      server
///     ClientHello                           --->
///                                           <---  ServerHello
///     frame Proof, only if it asks for one  --->
///                                           <---  frame Welcome or Refused
///                                           <---  later: Mustered or Doomed
///
/// Without a secret ServerHello and Welcome arrive together. Who asks to be assigned a rank is
/// welcomed when all are in.
///
/// The client's version stands at offset 2, so that four bytes tell version 0 (another protocol,
/// with 0 there) from this one. A whole hello is at most limits::hello_bytes_max bytes.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <muster/bytes.hpp>
#include <muster/digest.hpp>
#include <muster/ids.hpp>
#include <muster/roster.hpp>

namespace muster::wire {

inline constexpr std::uint16_t client_magic = 0x754D;  ///< "Mu"
inline constexpr std::uint16_t server_magic = 0x4D75;  ///< "uM": an echo is not taken for a server
inline constexpr std::uint16_t version = 1;

enum class Role : std::uint8_t {
  rank = 0,      ///< speaks for the ranks of its rank set
  assigned = 1,  ///< becomes a rank of the server's choice
  tool = 2,      ///< store and status only
};

/// How the peers prove that they belong to the job. A server says what it asks for; a client says
/// what it has, and takes no less.
enum class Auth : std::uint8_t {
  none = 0,    ///< not at all, or beneath this protocol (TLS)
  secret = 1,  ///< both prove that they hold the job's secret
};

/// Features of a link, a bit each, as the client's hello offers them.
inline constexpr std::uint32_t feature_beats = 1;    ///< it sends beats, and wants some
inline constexpr std::uint32_t feature_seekers = 2;  ///< it reads of seekers behind a status

using Nonce = std::array<std::byte, 16>;

/// Value. `first`, `first + 1`, ... `count` of them.
struct RankRange {
  std::uint32_t first = 0;
  std::uint32_t count = 0;
  bool operator==(const RankRange&) const = default;
};

/// Value.
///
///     offset  0  u16 client_magic     28  Epoch or 32 zeros
///             2  u16 version_min      60  Nonce
///             4  u16 version_max      76  u32 size or 0
///             6  u16 length, whole    80  u32 pid
///             8  u32 features         84  u32 milliseconds left
///            12  u8 role              88  text job or empty (u16 length, bytes)
///            13  u8 auth                  text host
///            14  u16 zero                 u16 number of rank ranges
///            16  u64 incarnation or 0     per range: u32 first, u32 count
///            24  u32 zero
struct ClientHello {
  std::uint16_t version_min = version;
  std::uint16_t version_max = version;
  std::uint32_t features = 0;
  Role role = Role::rank;
  Auth auth = Auth::none;
  Incarnation incarnation;  ///< 0: tell me
  std::optional<Epoch> epoch;
  Nonce nonce{};
  std::uint32_t size = 0;  ///< 0: tell me (tools)
  std::uint32_t pid = 0;
  std::uint32_t left_ms = 0;  ///< until the joiner's deadline
  std::string job;            ///< empty: tell me
  std::string host;
  std::vector<RankRange> ranks;

  bool operator==(const ClientHello&) const = default;
};

/// Value. {u16 server_magic, u16 version, u16 length, u8 auth, u8 zero, u64 incarnation, Nonce,
/// text job}
struct ServerHello {
  std::uint16_t version =
      wire::version;  ///< the one spoken; if there is none in common, the server's
  Auth auth = Auth::none;
  Incarnation incarnation;
  Nonce nonce{};
  std::string job;

  bool operator==(const ServerHello&) const = default;
};

/// Value. Body of a `welcome` frame: {Epoch, u32 size, u32 rank, u32 server's rank, text host, u32
/// pid, u32 value_bytes_max, u32 round_bytes_max, u32 heartbeat_ms, 32 bytes proof}.
struct Welcome {
  Epoch epoch;
  std::uint32_t size = 0;
  std::uint32_t rank = no_rank;  ///< the first of the link's; of a tool no_rank
  std::uint32_t server_rank = no_rank;
  std::string host;  ///< the server's
  std::uint32_t pid = 0;
  std::uint32_t value_bytes_max = 0;
  std::uint32_t round_bytes_max = 0;
  std::uint32_t heartbeat_ms = 0;  ///< 0: none
  Digest proof{};                  ///< the server's, if it asked for the client's; else zeros

  bool operator==(const Welcome&) const = default;
};

/// Whole hellos, complete with their length. Names longer than limits::host_bytes_max and
/// limits::job_id_bytes_max are cut; more rank ranges than fit limits::hello_bytes_max assert.
Value encode(const ClientHello& hello);
Value encode(const ServerHello& hello);

/// What the first bytes of a link are, as far as they have come.
enum class HelloState : std::uint8_t {
  more,      ///< could still become a hello
  complete,  ///< `length` bytes are a whole hello
  foreign,   ///< not this protocol (wrong magic, impossible length)
  old,       ///< a version 0 client: 0 at offset 2, behind a magic that each job may choose
};
struct HelloScan {
  HelloState state = HelloState::more;
  std::size_t length = 0;
};
HelloScan scan_client_hello(Bytes first);
HelloScan scan_server_hello(Bytes first);

/// Of a complete hello; nothing if it is malformed. Never reads past `bytes`. A version range that
/// does not hold `version` still decodes as far as the length, so that the refusal can name it; and
/// so does a server's other version. The rest is then default.
std::optional<ClientHello> decode_client_hello(Bytes bytes);
std::optional<ServerHello> decode_server_hello(Bytes bytes);

/// Value. Body of a `proof` frame: the client's 32 bytes.
struct Proof {
  Digest digest{};
};
void encode(const Proof& proof, Value& out);
std::optional<Proof> decode_proof(Bytes body);

void encode(const Welcome& welcome, Value& out);
std::optional<Welcome> decode_welcome(Bytes body);

}  // namespace muster::wire
