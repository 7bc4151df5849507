/* The same job of one rank, from C. */
#include <stdio.h>

#include <muster/muster.h>

int main(void) {
  muster_join_options options;
  muster_job* job = NULL;
  muster_buffer greeting;
  muster_join_options_init(&options);
  options.url = "tcp://127.0.0.1:0";
  options.rank = 0;
  options.size = 1;
  if (muster_join(&options, &job) != MUSTER_OK ||
      muster_store_set(muster_job_store(job), muster_text("greeting"), muster_text("good morning"),
                       -1) != MUSTER_OK ||
      muster_store_get(muster_job_store(job), muster_text("greeting"), -1, &greeting) !=
          MUSTER_OK) {
    fprintf(stderr, "%s\n", muster_error_text(muster_last_error()));
    return 1;
  }
  printf("%s from rank %u of %u\n", (const char*)greeting.data, (unsigned)muster_job_rank(job),
         (unsigned)muster_job_size(job));
  muster_free(greeting.data);
  if (muster_job_leave(job, -1) != MUSTER_OK) return 1;
  muster_job_free(job);
  return 0;
}
