#include "wire/v0.hpp"

#include "wire/cursor.hpp"

namespace muster::wire::v0 {

Value encode(const Hello& hello) {
  Value out;
  Writer writer(out);
  writer.u16(hello.magic);
  writer.u16(0);
  writer.u32(0);
  writer.u64(hello.rank);
  return out;
}

std::optional<Hello> decode_hello(Bytes bytes) {
  Reader reader(bytes);
  Hello hello;
  hello.magic = reader.u16();
  if (reader.u16() != 0) reader.fail();
  reader.u32();
  hello.rank = reader.u64();
  if (!reader.done()) return std::nullopt;
  return hello;
}

std::uint16_t magic_of(Bytes first) {
  return Reader(first).u16();
}

Value hello_answer() {
  return Value(hello_answer_bytes);
}

bool is_admission(Bytes bytes) {
  Reader reader(bytes);
  const bool good = reader.u16() == 0;
  return good && reader.done();
}

}  // namespace muster::wire::v0
