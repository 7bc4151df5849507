#include "job/failure_board.hpp"

#include <gtest/gtest.h>
#include <string>
#include <vector>

namespace muster {
namespace {

Failure failure(std::string reason) {
  return {.code = Code::rank_lost, .reason = std::move(reason)};
}

struct Heard {
  FailureBoard board;
  std::vector<std::string> reasons;
  FailureBoard::Handler handler() {
    return [this](const Failure& what) { reasons.push_back(what.reason); };
  }
};

TEST(FailureBoard, TellsTheFirstFailureOnce) {
  Heard heard;
  heard.board.set_handler(heard.handler());
  heard.board.report(failure("one"));
  heard.board.report(failure("two"));
  EXPECT_EQ(heard.reasons, std::vector<std::string>{"one"});
}

TEST(FailureBoard, TellsALateHandlerAtOnce) {
  Heard heard;
  heard.board.report(failure("one"));
  heard.board.set_handler(heard.handler());
  EXPECT_EQ(heard.reasons, std::vector<std::string>{"one"});
}

TEST(FailureBoard, SaysNothingOnceSilenced) {
  Heard heard;
  heard.board.set_handler(heard.handler());
  heard.board.silence();
  heard.board.report(failure("one"));
  heard.board.set_handler(heard.handler());
  EXPECT_TRUE(heard.reasons.empty());
}

}  // namespace
}  // namespace muster
