/**
 * \file
 * The C interface between Muster and a plugin: another way for the ranks of a job to find each
 * other and to do things together. C99. What is here is a contract between two files that were
 * built apart, perhaps years apart:
 *
 * - A plugin is a shared library that exports `muster_plugin_get`, or a table that a program
 *   registers itself, without a file.
 * - Every struct begins with its version and its size; whoever fills a struct in sets both, and
 *   the other side reads no further than `size`. Elements of arrays (muster_plugin_bytes,
 *   muster_plugin_rank) have neither and never change.
 * - Nothing that one side allocates is freed by the other. Every pointer that is passed, in either
 *   direction, is borrowed: it is good until the call that it was passed in returns. Handles
 *   (`session`, `group`) are the plugin's and live until finalize and close_group.
 * - Functions return 0, or the number of a muster::Code (docs/reference/errors.md), which is never
 *   negative, and say in `error` what happened. They must not throw: the host catches what they
 *   throw all the same, and reports it.
 * - A deadline is an absolute time: nanoseconds of CLOCK_MONOTONIC. One that is past means: look
 *   once, don't wait. A plugin without MUSTER_PLUGIN_BOUNDED may overrun it.
 * - Strings are UTF-8. Those of the table live as long as the plugin.
 */
#ifndef MUSTER_PLUGIN_H
#define MUSTER_PLUGIN_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/** The version of everything below. A host takes plugins of this one. */
#define MUSTER_PLUGIN_VERSION UINT32_C(1)
/** "Not known", of a rank. */
#define MUSTER_PLUGIN_NO_RANK UINT32_C(0xffffffff)

/**
 * Capabilities: functions that the plugin has, and what it can promise and tell. The table says
 * what is possible, `muster_plugin_world` what is so once init has returned: never more.
 */
/* Functions. A bit without its function is an error; a function without its bit is not called. */
#define MUSTER_PLUGIN_UNIQUE_ID (UINT64_C(1) << 0)
#define MUSTER_PLUGIN_EXCHANGE (UINT64_C(1) << 1)
#define MUSTER_PLUGIN_BARRIER (UINT64_C(1) << 2)
#define MUSTER_PLUGIN_ALLGATHER (UINT64_C(1) << 3)
#define MUSTER_PLUGIN_ALLTOALL (UINT64_C(1) << 4)
#define MUSTER_PLUGIN_SUBSETS (UINT64_C(1) << 5)
#define MUSTER_PLUGIN_FAIL (UINT64_C(1) << 6)
/* Promises. */
#define MUSTER_PLUGIN_BOUNDED (UINT64_C(1) << 16)       /* every call ends by its deadline */
#define MUSTER_PLUGIN_TELLS_MISSING (UINT64_C(1) << 17) /* names who did not come in time */
#define MUSTER_PLUGIN_TELLS_LOST (UINT64_C(1) << 18)    /* notices that a process is gone */
#define MUSTER_PLUGIN_ANY_THREAD (UINT64_C(1) << 19)    /* else: the thread that called init */
/* Rounds end at their deadlines, with one verdict, whatever rank 0 is doing meanwhile. */
#define MUSTER_PLUGIN_PROGRESS (UINT64_C(1) << 20)
#define MUSTER_PLUGIN_CAPABILITIES UINT64_C(0x1f007f) /* all of this version */

/** Which collective: the numbers of muster::Kind. */
enum muster_plugin_kind {
  MUSTER_PLUGIN_KIND_BARRIER = 1,
  MUSTER_PLUGIN_KIND_BROADCAST = 2,
  MUSTER_PLUGIN_KIND_GATHER = 3,
  MUSTER_PLUGIN_KIND_ALLGATHER = 4,
  MUSTER_PLUGIN_KIND_ALLGATHERV = 5,
  MUSTER_PLUGIN_KIND_EXCHANGE = 6,
  MUSTER_PLUGIN_KIND_SCATTER = 7,
  MUSTER_PLUGIN_KIND_ALLTOALL = 8
};

struct muster_plugin_bytes {
  const void* data; /* may be null if `length` is 0 */
  size_t length;
};

/** A rank that an error is about. Texts end in 0; host is empty and pid 0 if they aren't known. */
struct muster_plugin_rank {
  uint32_t rank; /* in the world */
  uint32_t pid;
  char host[256];
  char detail[512];
};

/** The host's room for an error, which holds nothing yet when it is passed. */
struct muster_plugin_error {
  uint32_t version;
  uint32_t size;
  int32_t exit_code;   /* what the process should end with; the host sets 1 */
  uint32_t ranks_max;  /* room in `ranks` */
  uint32_t rank_count; /* how many of them the plugin has filled in */
  uint32_t what_bytes; /* room in `what`, with the 0 at its end */
  uint32_t advice_bytes;
  uint32_t zero;
  char* what;   /* what happened, with the given and the expected */
  char* advice; /* what to do next; may stay empty */
  struct muster_plugin_rank* ranks;
};

/** Where a good round puts its parts. */
struct muster_plugin_sink {
  uint32_t version;
  uint32_t size;
  void* context;
  /* To be called once by a round that is to return 0 and has parts: the host copies them. */
  void (*parts)(void* context, const struct muster_plugin_bytes* parts, uint32_t count);
};

/** How to begin. */
struct muster_plugin_start {
  uint32_t version;
  uint32_t size;
  void* argument;                       /* the user's; each plugin says what it takes */
  struct muster_plugin_bytes unique_id; /* what get_unique_id made; empty: there is none */
  uint32_t rank;                        /* MUSTER_PLUGIN_NO_RANK: the plugin knows */
  uint32_t ranks;                       /* 0: the plugin knows */
  uint64_t deadline_ns;
};

/** What init gives; the host sets version and size. */
struct muster_plugin_world {
  uint32_t version;
  uint32_t size;
  void* session;
  void* group; /* all ranks; lives as long as the session */
  uint32_t rank;
  uint32_t ranks;
  /* The same on all ranks, another one for each start of the job; 0: the host makes one. */
  uint64_t incarnation;
  uint64_t capabilities; /* those of the table's that hold here */
};

/** One rank's side of a round. */
struct muster_plugin_call {
  uint32_t version;
  uint32_t size;
  uint64_t sequence; /* counts the group's rounds from 1 */
  uint32_t kind;     /* a muster_plugin_kind */
  uint32_t root;     /* of a broadcast, gather or scatter; rank of the group */
  uint64_t deadline_ns;
  struct muster_plugin_bytes label; /* at most 255 bytes */
  unsigned char token[32];          /* what an exchange is bound to; zero otherwise */
  /* One; of a scatter, one for each rank on the root and none elsewhere; of an alltoall, one for
   * each rank, all of one size. */
  const struct muster_plugin_bytes* payloads;
  uint32_t payload_count;
  uint32_t zero;
};

/**
 * The plugin. All functions but init and finalize may be null, as far as `capabilities` say so;
 * one of exchange and allgather must be there.
 */
struct muster_plugin {
  uint32_t version; /* MUSTER_PLUGIN_VERSION */
  uint32_t size;    /* sizeof(struct muster_plugin) */
  const char* name; /* "mpi (Open MPI 4.1.4)" */
  uint64_t capabilities;

  /*
   * Makes, on one rank, what the user carries to all others, who give it to init. `*length` is
   * the room in `id` before and the id's length after; too little room is `limit`.
   */
  int (*get_unique_id)(unsigned char* id, size_t* length, struct muster_plugin_error* error);

  /* Joins; returns when all ranks are in. On failure nothing is left behind. */
  int (*init)(const struct muster_plugin_start* start, struct muster_plugin_world* world,
              struct muster_plugin_error* error);

  /*
   * Leaves, and frees the session, whatever it returns. Waits until all ranks leave, at most until
   * the deadline: then `rank_missing`. Groups have been closed before, and no call is in flight.
   */
  int (*finalize)(void* session, uint64_t deadline_ns, struct muster_plugin_error* error);

  /*
   * One round, with one verdict: no two ranks get different ones. 0: all have arrived, and the
   * parts are in the sink, in order of rank: none for a barrier, the root's alone for a broadcast,
   * the rank's own for a scatter, those for the rank for an alltoall, all for the rest; for a
   * gather on the root alone.
   * `rank_missing`: the earliest deadline of those who came is over; a late rank gets the same
   * verdict at once, and the group is in step. `limit`: too much was brought; in step as well.
   * `mismatch`: kind, label, root, token, or sizes of an allgather or alltoall differ. After this
   * and all other codes the group is broken, and the host makes no more calls. The host makes one
   * call at a time for a group, and calls for different groups at once if there is
   * MUSTER_PLUGIN_ANY_THREAD.
   */
  int (*exchange)(void* group, const struct muster_plugin_call* call,
                  const struct muster_plugin_sink* sink, struct muster_plugin_error* error);

  /*
   * The same in simple clothes, for one size of payload. `all` is the host's: `bytes` for each
   * rank, in order of rank; `each` too. After any error the group is broken.
   */
  int (*barrier)(void* group, uint64_t deadline_ns, struct muster_plugin_error* error);
  int (*allgather)(void* group, const void* mine, size_t bytes, void* all, uint64_t deadline_ns,
                   struct muster_plugin_error* error);
  int (*alltoall)(void* group, const void* each, size_t bytes, void* all, uint64_t deadline_ns,
                  struct muster_plugin_error* error);

  /* A group of some ranks of `parent`, made by its members alone, who all name the same `members`,
   * ranks of the parent in the order of their new ranks. Nobody is waited for. */
  int (*open_group)(void* parent, const uint32_t* members, uint32_t count, uint64_t deadline_ns,
                    void** group, struct muster_plugin_error* error);
  void (*close_group)(void* group);

  /* Ends the job for all ranks: their calls end with `rank_failed` and the reason. */
  int (*fail)(void* session, const char* reason, int32_t exit_code,
              struct muster_plugin_error* error);
};

/**
 * What a plugin file exports. `host_version` is the host's MUSTER_PLUGIN_VERSION, for a plugin that
 * has tables of several versions. The table lives as long as the process.
 */
typedef const struct muster_plugin* (*muster_plugin_get_function)(uint32_t host_version);
#define MUSTER_PLUGIN_ENTRY "muster_plugin_get"

#ifdef __cplusplus
}
#endif

#endif
