#include "server/core/first_bytes.hpp"

#include <gtest/gtest.h>
#include <string_view>

namespace muster::server {
namespace {

TEST(FirstBytes, AreRecognised) {
  EXPECT_STREQ(likeness(as_bytes("GET / HTTP/1.1\r\n")), "an HTTP request");
  EXPECT_STREQ(likeness(as_bytes("\x16\x03\x01\x02\x01")), "a TLS hello");
  EXPECT_STREQ(likeness(as_bytes("SSH-2.0-x")), "an SSH client");
  EXPECT_STREQ(likeness(as_bytes("GETS")), "noise");
  EXPECT_STREQ(likeness({}), "noise");
}

}  // namespace
}  // namespace muster::server
