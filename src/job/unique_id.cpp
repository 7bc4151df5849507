#include <algorithm>
#include <cstring>
#include <fmt/format.h>

#include <muster/digest.hpp>
#include <muster/unique_id.hpp>

#include "base/hex.hpp"
#include "base/keyed.hpp"
#include "base/limits.hpp"
#include "base/private_file.hpp"
#include "base/random.hpp"
#include "base/standard_descriptors.hpp"
#include "base/usage_error.hpp"
#include "base/variables.hpp"
#include "job/kept_listeners.hpp"
#include "job/uid_address.hpp"
#include "net/url.hpp"
#include "wire/cursor.hpp"

namespace muster {
namespace {

// The bytes form: u8[8] mark, u16 version, u16 count of bytes used, u16 version 0's magic, u16 0,
// u64 incarnation, u8[32] secret, text job id, text URL, u8[4] check: the first bytes of SHA-256 of
// all before it. Then zeros. docs/reference/formats.md
constexpr std::string_view mark = "MUSTERID";
constexpr std::string_view prefix = "muster1:";
constexpr std::uint16_t version = 1;
constexpr std::size_t secret_bytes = 32;
constexpr std::size_t check_bytes = 4;
constexpr std::size_t head_bytes = 8 + 4 * 2 + 8 + secret_bytes;
/// tcp6://[...]:65535 around the longest name (RFC 1035) or address.
constexpr std::size_t url_bytes_max = 253 + 16;
constexpr std::size_t text_bytes_max = prefix.size() + 2 * UniqueId::bytes_size + 2;
static_assert(head_bytes + 2 + limits::job_id_bytes_max + 2 + url_bytes_max + check_bytes <=
              UniqueId::bytes_size);

Error refuse(std::string what, std::string advice = "copy all of it again from where it was made") {
  return usage_error(std::move(what), std::move(advice));
}

Error newer(std::string_view found) {
  return refuse(fmt::format("the unique id is of format {}, this release reads {}", found, version),
                "use the same release of Muster in all processes");
}

std::string_view trimmed(std::string_view text) {
  constexpr std::string_view white = " \t\r\n";
  const std::size_t first = text.find_first_not_of(white);
  if (first == text.npos) return {};
  return text.substr(first, text.find_last_not_of(white) - first + 1);
}

/// What stands behind the prefix; or why there is none.
Result<std::string_view> digits_of(std::string_view text) {
  if (text.starts_with(prefix)) return text.substr(prefix.size());
  const std::size_t colon = text.find(':');
  constexpr std::string_view name = "muster";
  const std::string_view number =
      text.starts_with(name) && colon != text.npos ? text.substr(6, colon - 6) : "";
  if (!number.empty() && number.size() < 6 &&
      number.find_first_not_of("0123456789") == number.npos) {
    return newer(number);
  }
  return refuse(text.empty() ? "the unique id is empty" : "that is no unique id",
                "expected muster1: and hexadecimal digits, as `muster uid` writes them");
}

std::uint16_t random_magic() {
  return static_cast<std::uint16_t>(1 + system_random().below(0xffff));
}

/// Of what was read, which is wiped.
Result<UniqueId> parse_private(Result<Value> read) {
  if (!read) return std::move(read).error();
  Result<UniqueId> id = UniqueId::parse(as_text(*read));
  wipe(*read);
  return id;
}

}  // namespace

UniqueId::UniqueId(std::string url, std::string job_id, Incarnation incarnation,
                   std::uint16_t magic, Secret secret)
    : url_(std::move(url)),
      job_id_(std::move(job_id)),
      incarnation_(incarnation),
      magic_(magic),
      secret_(std::move(secret)) {}

Result<UniqueId> UniqueId::create(const UniqueIdOptions& options) {
  hold_standard_descriptors();
  const std::string job = options.job_id.empty() ? random_job_id() : options.job_id;
  if (Result<void> good = check_job_id(job); !good) return std::move(good).error();
  Result<UidAddress> address = bind_for_unique_id(options);
  if (!address) return std::move(address).error();
  UniqueId id(address->told.text(), job, Incarnation::random(), random_magic(), Secret::random());
  keep_listener(id.incarnation_, std::move(address->listener));
  return id;
}

UniqueId::BytesForm UniqueId::bytes() const {
  Value used;
  used.reserve(bytes_size);
  wire::Writer out(used);
  const std::size_t count = head_bytes + 2 + job_id_.size() + 2 + url_.size() + check_bytes;
  out.bytes(as_bytes(mark));
  out.integers(version, static_cast<std::uint16_t>(count), magic_, std::uint16_t{0});
  out.u64(incarnation_.number);
  out.bytes(secret_.bytes());
  out.text(job_id_);
  out.text(url_);
  out.bytes(Bytes(sha256(used)).first(check_bytes));
  BytesForm form{};
  std::copy(used.begin(), used.end(), form.begin());
  wipe(used);
  return form;
}

std::string UniqueId::text() const {
  BytesForm form = bytes();
  wire::Reader head(Bytes(form).subspan(10, 2));
  std::string text = std::string(prefix) + to_hex(Bytes(form).first(head.u16()));
  wipe(form);
  return text;
}

Result<UniqueId> UniqueId::from_bytes(Bytes bytes) {
  wire::Reader head(bytes);
  if (as_text(head.bytes(mark.size())) != mark) {
    return refuse(bytes.size() < mark.size()
                      ? fmt::format("the unique id is cut off: it has {} bytes", bytes.size())
                      : "those bytes are no unique id");
  }
  const std::uint16_t found = head.u16();
  const std::size_t count = head.u16();
  if (head.ok() && found != version) return newer(std::to_string(found));
  if (!head.ok() || bytes.size() < count) {
    return refuse(fmt::format("the unique id is cut off: it has {} bytes of {}", bytes.size(),
                              head.ok() ? std::to_string(count) : "more"));
  }
  const auto is_zero = [](std::byte one) { return one == std::byte{0}; };
  const Bytes rest = bytes.subspan(count);
  const Bytes used = bytes.first(count);
  if (count < head_bytes + check_bytes || bytes.size() > bytes_size ||
      !std::all_of(rest.begin(), rest.end(), is_zero) ||
      !std::ranges::equal(used.last(check_bytes),
                          Bytes(sha256(used.first(count - check_bytes))).first(check_bytes))) {
    return refuse("the unique id was altered on its way: its check value does not fit");
  }
  wire::Reader in(used.first(count - check_bytes).subspan(mark.size() + 4));
  const std::uint16_t magic = in.u16();
  const std::uint16_t unused = in.u16();
  const Incarnation incarnation{in.u64()};
  Result<Secret> secret = Secret::from_bytes(in.bytes(secret_bytes));
  const std::string job(in.text());
  const std::string url(in.text());
  const bool fits = in.done() && unused == 0 && magic != 0 && incarnation.number != 0;
  const Result<net::Url> parsed = net::Url::parse(url);
  if (!fits || !secret || !check_job_id(job) || !parsed || parsed->text() != url) {
    return refuse("the unique id fits its check value, but makes no sense",
                  "make it with `muster uid` or UniqueId::create()");
  }
  return UniqueId(url, job, incarnation, magic, *std::move(secret));
}

Result<UniqueId> UniqueId::parse(std::string_view text) {
  const Result<std::string_view> digits = digits_of(trimmed(text));
  if (!digits) return digits.error();
  const std::size_t odd = digits->find_first_not_of("0123456789abcdef");
  if (odd != digits->npos) {
    return refuse(
        fmt::format("the unique id was altered on its way: character {} is no digit of "
                    "0-9a-f",
                    prefix.size() + odd + 1));
  }
  if (digits->size() % 2 != 0) {
    return refuse(
        fmt::format("the unique id is cut off: {} digits are no whole bytes", digits->size()));
  }
  Value bytes(digits->size() / 2);
  from_hex(*digits, bytes);
  Result<UniqueId> id = from_bytes(bytes);
  wipe(bytes);
  return id;
}

Result<UniqueId> UniqueId::from_file(const std::string& path) {
  if (path.starts_with(prefix)) {
    return refuse("a unique id is given where the path of its file is expected",
                  "write it into a file of mode 0600, or say it in MUSTER_UID");
  }
  return parse_private(read_private_file(path, "the unique id's file", text_bytes_max));
}

Result<UniqueId> UniqueId::from_fd(int fd) {
  return parse_private(read_private_fd(fd, "the unique id", text_bytes_max));
}

Result<std::optional<UniqueId>> UniqueId::from_environment() {
  Variables variables(look_up);
  std::optional<UniqueId> id = variables.confided<UniqueId>("MUSTER_UID", parse, "unset one");
  if (variables.problem()) return *variables.problem();
  return id;
}

void UniqueId::release() const {
  take_kept_listener(incarnation_).reset();
}

}  // namespace muster
