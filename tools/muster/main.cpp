#include "exit_codes.hpp"

int main() {
  return muster::tool::exit_usage;
}
