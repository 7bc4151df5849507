/*
 * Two processes, one job, all of it from C. The parent makes a unique id, forks, and both join.
 * What is not as it should be is said, and the exit code is 1 then.
 */
#define _POSIX_C_SOURCE 200809L

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <muster/muster.h>

static void check(int good, const char* what, int line) {
  if (good) return;
  fprintf(stderr, "job.c:%d: %s (last error: %s)\n", line, what,
          muster_error_text(muster_last_error()));
  exit(1);
}
#define CHECK(condition) check((condition) ? 1 : 0, #condition, __LINE__)
#define CHECK_OK(call) check((call) == MUSTER_OK, #call, __LINE__)

static int is(muster_bytes bytes, const char* text) {
  return bytes.data != NULL && bytes.length == strlen(text) &&
         memcmp(bytes.data, text, bytes.length) == 0;
}

static int is_now(muster_buffer buffer, const char* text) {
  muster_bytes bytes;
  bytes.data = buffer.data;
  bytes.length = buffer.length;
  return is(bytes, text);
}

static void use_store(muster_store* store, uint32_t rank) {
  const muster_bytes keys[] = {muster_text("a"), muster_text("b"), muster_text("none")};
  const muster_bytes values[] = {muster_text("1"), muster_text("")};
  const muster_bytes one = muster_text("1");
  muster_buffer value;
  muster_buffer before;
  muster_parts* parts;
  int64_t sum = 0;
  uint64_t length = 0;
  int flag = -1;

  if (rank == 0) {
    CHECK_OK(muster_store_multi_set(store, keys, values, 2, -1));
    CHECK_OK(muster_store_set_owned(store, muster_text("own"), one, -1));
  }
  CHECK_OK(muster_store_wait(store, keys, 2, -1));
  CHECK_OK(muster_store_multi_get(store, keys, 3, -1, &parts));
  CHECK(muster_parts_count(parts) == 3);
  CHECK(is(muster_parts_get(parts, 0), "1") && is(muster_parts_get(parts, 1), ""));
  CHECK(muster_parts_get(parts, 2).data == NULL && muster_parts_get(parts, 3).data == NULL);
  muster_parts_free(parts);
  CHECK_OK(muster_store_wait_get(store, muster_text("own"), -1, &value));
  CHECK(is_now(value, "1") && ((const char*)value.data)[1] == '\0');
  muster_free(value.data);
  CHECK(muster_store_get(store, muster_text("none"), -1, &value) == MUSTER_NOT_FOUND);
  CHECK(strstr(muster_error_text(muster_last_error()), "none") != NULL);

  if (rank == 1) {
    CHECK_OK(muster_store_add(store, muster_text("n"), 41, -1, NULL));
    CHECK_OK(muster_store_add(store, muster_text("n"), 1, -1, &sum));
    CHECK(sum == 42);
    CHECK_OK(muster_store_append(store, muster_text("log"), muster_text("abc"), -1, &length));
    CHECK(length == 3);
    CHECK_OK(muster_store_compare_set(store, muster_text("new"), NULL, one, -1, &flag, &before));
    CHECK(flag == 1 && before.data == NULL);
    CHECK_OK(muster_store_compare_set(store, muster_text("new"), NULL, one, -1, &flag, &before));
    CHECK(flag == 0 && is_now(before, "1"));
    muster_free(before.data);
    CHECK_OK(muster_store_compare_set(store, muster_text("new"), &one, muster_text("2"), -1, &flag,
                                      NULL));
    CHECK(flag == 1);
    CHECK_OK(muster_store_list(store, muster_text("n"), muster_text(""), 1, -1, &parts, &flag));
    CHECK(muster_parts_count(parts) == 1 && is(muster_parts_get(parts, 0), "n") && flag == 1);
    muster_parts_free(parts);
    CHECK_OK(muster_store_remove(store, muster_text("n"), -1, &flag));
    CHECK(flag == 1);
  }
}

static void use_group(muster_group* world, uint32_t rank) {
  const char* own = rank == 0 ? "zero" : "a rank";
  const unsigned char token[32] = {7};
  muster_bytes both[] = {muster_text("for 0"), muster_text("for one")};
  uint32_t numbers[2] = {99, 99};
  uint32_t numbers_in[2] = {99, 99};
  muster_buffer value;
  muster_parts* parts;

  CHECK_OK(muster_barrier(world, "all here", -1));
  CHECK_OK(muster_broadcast(world, muster_text(rank == 1 ? "hello" : ""), 1, NULL, -1, &value));
  CHECK(is_now(value, "hello"));
  muster_free(value.data);
  CHECK_OK(muster_scatter(world, both, rank == 0 ? 2 : 0, 0, NULL, -1, &value));
  CHECK(is_now(value, rank == 0 ? "for 0" : "for one"));
  muster_free(value.data);
  CHECK_OK(muster_allgather(world, &rank, sizeof rank, numbers, NULL, -1));
  CHECK(numbers[0] == 0 && numbers[1] == 1);
  numbers[0] = 10 * rank;
  numbers[1] = 10 * rank + 1;
  CHECK_OK(muster_alltoall(world, numbers, sizeof rank, numbers_in, "mail", -1));
  CHECK(numbers_in[0] == rank && numbers_in[1] == 10 + rank);
  CHECK_OK(muster_allgatherv(world, muster_text(own), NULL, -1, &parts));
  CHECK(is(muster_parts_get(parts, 0), "zero") && is(muster_parts_get(parts, 1), "a rank"));
  muster_parts_free(parts);
  CHECK_OK(muster_gather(world, muster_text(own), 0, NULL, -1, &parts));
  CHECK(muster_parts_count(parts) == (rank == 0 ? 2U : 0U));
  muster_parts_free(parts);
  CHECK_OK(muster_exchange(world, "phase", token, muster_text(own), -1, &parts));
  CHECK(muster_parts_count(parts) == 2);
  muster_parts_free(parts);
}

static void use_requests(muster_group* world, uint32_t rank) {
  const uint32_t reversed[] = {1, 0};
  const uint32_t none[] = {7};
  muster_group* subset = NULL;
  muster_request* first = NULL;
  muster_request* second = NULL;
  muster_parts* parts;
  muster_call call;
  int done = 0;

  CHECK(muster_group_subset(world, none, 1, -1, &subset) == MUSTER_INVALID_ARGUMENT);
  CHECK_OK(muster_group_subset(world, reversed, 2, -1, &subset));
  CHECK(muster_group_rank(subset) == 1 - rank && muster_group_size(subset) == 2);
  CHECK(muster_group_rank_in_job(subset, 0) == 1);
  CHECK(muster_group_rank_in_job(subset, 2) == MUSTER_NO_RANK);

  /* Two at once, in two groups. */
  muster_call_init(&call);
  CHECK_OK(muster_start(world, &call, -1, &first));
  CHECK(muster_barrier(world, NULL, -1) == MUSTER_BUSY);
  call.kind = MUSTER_KIND_ALLGATHERV;
  call.payload = muster_text(rank == 0 ? "zero" : "one");
  CHECK_OK(muster_start(subset, &call, -1, &second));
  while (!done) CHECK_OK(muster_test(second, &done));
  CHECK_OK(muster_wait(second, &parts));
  CHECK(is(muster_parts_get(parts, 0), "one") && is(muster_parts_get(parts, 1), "zero"));
  muster_parts_free(parts);
  CHECK_OK(muster_wait(first, NULL));
  CHECK_OK(muster_barrier(world, "again", -1));
  muster_group_free(subset);
  muster_group_free(world); /* is the job's */
  CHECK_OK(muster_barrier(world, "still there", -1));
}

static void use_contract(muster_job* job) {
  muster_contract* contract = NULL;
  char fingerprint[65];
  CHECK_OK(muster_contract_create(&contract));
  CHECK_OK(muster_contract_integer(contract, "batch", 32, MUSTER_SHARE_OPEN));
  CHECK_OK(muster_contract_real(contract, "rate", 0.5, MUSTER_SHARE_LOCAL));
  CHECK_OK(muster_contract_boolean(contract, "fast", 1, MUSTER_SHARE_LOCAL));
  CHECK_OK(muster_contract_text(contract, "name", "x", MUSTER_SHARE_LOCAL));
  CHECK_OK(muster_contract_blob(contract, "raw", muster_text("\1"), MUSTER_SHARE_LOCAL));
  CHECK_OK(muster_job_agree(job, contract, -1, fingerprint));
  CHECK(strlen(fingerprint) == 64);
  CHECK_OK(muster_contract_integer(contract, "rank", muster_job_rank(job), MUSTER_SHARE_OPEN));
  CHECK(muster_job_agree(job, contract, -1, NULL) == MUSTER_CONTRACT_MISMATCH);
  CHECK(muster_error_exit_code(muster_last_error()) == 70);
  CHECK(muster_error_rank_count(muster_last_error()) > 0);
  muster_contract_free(contract);
}

static void be_rank(const void* id_bytes, uint32_t rank) {
  muster_unique_id* id = NULL;
  muster_join_options options;
  muster_job* job = NULL;
  CHECK_OK(muster_unique_id_from_bytes(id_bytes, MUSTER_UNIQUE_ID_BYTES, &id));
  muster_join_options_init(&options);
  options.ignore_environment = 1;
  options.unique_id = id;
  options.rank = rank;
  options.size = 2;
  CHECK_OK(muster_join(&options, &job));
  CHECK(muster_last_error() == NULL);
  muster_unique_id_free(id);
  CHECK(muster_job_rank(job) == rank && muster_job_size(job) == 2);
  CHECK(strcmp(muster_job_id(job), "c-test") == 0 && strlen(muster_job_epoch(job)) == 64);
  CHECK(strncmp(muster_job_url(job), "tcp://127.0.0.1:", 16) == 0);

  use_store(muster_job_store(job), rank);
  use_group(muster_job_world(job), rank);
  use_requests(muster_job_world(job), rank);
  CHECK(muster_barrier(muster_job_world(job), "time", nan("")) == MUSTER_INVALID_ARGUMENT);
  use_contract(job);
  CHECK_OK(muster_job_leave(job, -1));
  CHECK(muster_job_leave(job, -1) == MUSTER_INVALID_STATE);
  CHECK(strstr(muster_error_what(muster_last_error()), "leave") != NULL);
  muster_job_free(job);
}

int main(void) {
  unsigned char bytes[MUSTER_UNIQUE_ID_BYTES];
  muster_unique_id_options options;
  muster_unique_id* id = NULL;
  pid_t child;
  int status = -1;

  muster_unique_id_options_init(&options);
  options.session_id = "127.0.0.1:0";
  options.job_id = "c-test";
  CHECK_OK(muster_unique_id_create(&options, &id));
  CHECK_OK(muster_unique_id_bytes(id, bytes));
  muster_unique_id_free(id);

  child = fork();
  if (child == 0) {
    be_rank(bytes, 1);
    return 0;
  }
  be_rank(bytes, 0);
  CHECK(waitpid(child, &status, 0) == child && status == 0);
  return 0;
}
