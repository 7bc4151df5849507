/*
 * A whole job in C, on one page: join, put something into the store, find the neighbour's, leave.
 *
 *   muster run -n 4 -- hello_c
 */
#include <inttypes.h>
#include <stdio.h>

#include <muster/muster.h>

/** Says what went wrong, and what to exit with. */
static int failed(const char* doing) {
  const muster_error* error = muster_last_error();
  fprintf(stderr, "hello_c: %s: %s\n", doing, muster_error_text(error));
  return muster_error_exit_code(error);
}

/** "name/3". */
static muster_bytes key_of(uint32_t rank, char* room, size_t size) {
  snprintf(room, size, "name/%" PRIu32, rank);
  return muster_text(room);
}

static int greet(muster_job* job) {
  muster_store* store = muster_job_store(job);
  const uint32_t rank = muster_job_rank(job);
  const uint32_t next = (rank + 1) % muster_job_size(job);
  char key[32];
  char mine[32];
  muster_buffer neighbour;

  snprintf(mine, sizeof mine, "rank %" PRIu32, rank);
  if (muster_store_set(store, key_of(rank, key, sizeof key), muster_text(mine), -1) != MUSTER_OK) {
    return failed("set");
  }
  /* Comes back as soon as the neighbour has set its key; -1: the job's own time-out. */
  if (muster_store_wait_get(store, key_of(next, key, sizeof key), -1, &neighbour) != MUSTER_OK) {
    return failed("wait_get");
  }
  printf("rank %" PRIu32 ": my neighbour is %s\n", rank, (const char*)neighbour.data);
  muster_free(neighbour.data);

  if (muster_barrier(muster_job_world(job), "greeted", -1) != MUSTER_OK) return failed("barrier");
  return 0;
}

int main(void) {
  muster_job* job = NULL;
  int status;
  if (muster_join(NULL, &job) != MUSTER_OK) return failed("join");
  status = greet(job);
  if (status == 0 && muster_job_leave(job, -1) != MUSTER_OK) status = failed("leave");
  muster_job_free(job);
  return status;
}
