/**
 * \file
 * Muster in C99: the processes of a job come together, have a store, do things together, leave.
 *
 * - Functions that can fail return a muster_status, 0 if all went well. What went wrong is in
 *   muster_last_error(), for this thread, until its next call that returns a muster_status. On
 *   failure nothing is written to where results go.
 * - Handles (muster_job, muster_group, ...) are opaque. Who creates one frees it, with the function
 *   of its name; NULL is freed by doing nothing. World and store of a job are the job's: freeing
 *   them does nothing. A job is freed last, after its subsets, requests and watches.
 * - What is passed in is copied or used up before the function returns. What comes out as
 *   `const char*` lives as long as the handle it came from. A muster_buffer that comes out is the
 *   caller's: muster_free(buffer.data).
 * - Structs of options begin with `struct_size`. Their init functions set it and all defaults; so a
 *   program goes on working with a library that knows more options.
 * - Times are seconds. Negative: the default of the job (operation_timeout). 0: look once.
 * - Any number of threads may use a handle, but freeing it and leaving a job are for one thread,
 *   when no other uses it. A request is for one thread at a time.
 * - No C++ exception gets out, and none may get in: handlers must not throw.
 * - In a child of fork() the handles of its parent are MUSTER_INVALID_STATE, and freeing them is
 *   harmless. The child may join jobs of its own.
 *
 * What each function means in full is said in the C++ header of the same thing: <muster/job.hpp>,
 * <muster/group.hpp>, <muster/store.hpp>.
 */
#ifndef MUSTER_H
#define MUSTER_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#define MUSTER_C_API __attribute__((visibility("default")))

#ifdef __cplusplus
extern "C" {
#endif

typedef struct muster_contract muster_contract;
typedef struct muster_error muster_error;
typedef struct muster_group muster_group;
typedef struct muster_job muster_job;
typedef struct muster_parts muster_parts;
typedef struct muster_request muster_request;
typedef struct muster_store muster_store;
typedef struct muster_unique_id muster_unique_id;

/* ---- Status and errors ---- */

/** The numbers never change. */
typedef enum muster_status {
  MUSTER_OK = 0,
  MUSTER_INVALID_ARGUMENT = 1,   /* the call or a setting is wrong; nothing was sent */
  MUSTER_INVALID_STATE = 2,      /* the call does not fit now: after leaving, in a forked child */
  MUSTER_BUSY = 3,               /* a collective is in flight on this group handle */
  MUSTER_REFUSED = 4,            /* the server does not admit this peer */
  MUSTER_TIMEOUT = 5,            /* the time is over */
  MUSTER_NOT_FOUND = 6,          /* no such key */
  MUSTER_LIMIT = 7,              /* over a fixed limit; the text names it */
  MUSTER_QUOTA = 8,              /* the store is full */
  MUSTER_PROTOCOL = 9,           /* the peer sent what the protocol does not allow */
  MUSTER_UNREACHABLE = 10,       /* no connection could be made */
  MUSTER_SERVER_LOST = 11,       /* the link to the server broke */
  MUSTER_RANK_MISSING = 12,      /* ranks did not come in time */
  MUSTER_RANK_LOST = 13,         /* a rank's process or host is gone */
  MUSTER_RANK_LEFT = 14,         /* a rank left while others still needed it */
  MUSTER_RANK_FAILED = 15,       /* a rank said that it failed */
  MUSTER_MISMATCH = 16,          /* ranks called different things */
  MUSTER_CONTRACT_MISMATCH = 17, /* ranks hold different contracts */
  MUSTER_SYSTEM = 18,            /* the operating system refused something; memory has run out */
  MUSTER_UNSUPPORTED = 19        /* this kind of store or group cannot do that */
} muster_status;

/** "timeout"; "ok"; "unknown" for a number that is none. */
MUSTER_C_API const char* muster_status_name(muster_status status);

/** "Not known", of a rank. */
#define MUSTER_NO_RANK UINT32_C(0xffffffff)

/** A rank that an error is about; host is "" and pid 0 if nobody knows them. */
typedef struct muster_rank_name {
  uint32_t rank;
  uint32_t pid;
  const char* host;
  const char* detail;
} muster_rank_name;

/** What went wrong in this thread's last call; NULL if nothing did. These functions do not count as
 * calls, and take NULL. */
MUSTER_C_API const muster_error* muster_last_error(void);
MUSTER_C_API muster_status muster_error_code(const muster_error* error);
/** All of it in one line. */
MUSTER_C_API const char* muster_error_text(const muster_error* error);
MUSTER_C_API const char* muster_error_what(const muster_error* error);
MUSTER_C_API const char* muster_error_advice(const muster_error* error);
/** "local", "resolve", "connect", "hello", "muster", "operation", "leave". */
MUSTER_C_API const char* muster_error_phase(const muster_error* error);
/** Own address and the peer's, "" where there were none. */
MUSTER_C_API const char* muster_error_local(const muster_error* error);
MUSTER_C_API const char* muster_error_remote(const muster_error* error);
MUSTER_C_API double muster_error_elapsed(const muster_error* error);
/** What a process that ends over this should exit with. */
MUSTER_C_API int muster_error_exit_code(const muster_error* error);
/** Who is missing, lost, or in the way. */
MUSTER_C_API size_t muster_error_rank_count(const muster_error* error);
MUSTER_C_API muster_rank_name muster_error_rank(const muster_error* error, size_t index);

/* ---- Bytes ---- */

/** Borrowed. `data` may be NULL if `length` is 0. */
typedef struct muster_bytes {
  const void* data;
  size_t length;
} muster_bytes;

/** Owned by who gets it: muster_free(data). */
typedef struct muster_buffer {
  void* data;
  size_t length;
} muster_buffer;

static inline muster_bytes muster_text(const char* text) {
  muster_bytes bytes;
  bytes.data = text;
  bytes.length = text != NULL ? strlen(text) : 0;
  return bytes;
}

MUSTER_C_API void muster_free(void* data);

/** Several values in one: what ranks brought, keys of a list. What is got from it is borrowed, and
 * has `data` NULL only where there is no value: for an absent key, or beyond the end. */
MUSTER_C_API size_t muster_parts_count(const muster_parts* parts);
MUSTER_C_API muster_bytes muster_parts_get(const muster_parts* parts, size_t index);
MUSTER_C_API void muster_parts_free(muster_parts* parts);

/* ---- Unique ids: an address, a name and a secret in one; to be kept like a password ---- */

#define MUSTER_UNIQUE_ID_BYTES 512

typedef struct muster_unique_id_options {
  size_t struct_size;
  /* NULL: not given; then MUSTER_UID_* say it, and otherwise it is chosen. */
  const char* session_id; /* "host:port": binds exactly that; port 0: any */
  const char* interfaces; /* "eth,ib", "=eth0", "^docker"; ":inet4" or ":inet6" behind it */
  const char* advertise;  /* "host" or "host:port" to be told instead of what was bound */
  const char* job_id;     /* NULL: a random one */
  int all_local;          /* all ranks run on this host */
  double name_timeout;    /* for looking a name up; 10 */
  uint16_t port_first;    /* where no port is said: the last free one of these; 0: not given */
  uint16_t port_last;
} muster_unique_id_options;

MUSTER_C_API void muster_unique_id_options_init_sized(muster_unique_id_options* options,
                                                      size_t struct_size);
static inline void muster_unique_id_options_init(muster_unique_id_options* options) {
  muster_unique_id_options_init_sized(options, sizeof *options);
}

/** Binds, listens, and keeps the socket until muster_join with this id as rank 0 takes it over. One
 * process does it, and carries the id to the others. `options` may be NULL. */
MUSTER_C_API muster_status muster_unique_id_create(const muster_unique_id_options* options,
                                                   muster_unique_id** id);
MUSTER_C_API muster_status muster_unique_id_parse(const char* text, muster_unique_id** id);
MUSTER_C_API muster_status muster_unique_id_from_bytes(const void* bytes, size_t length,
                                                       muster_unique_id** id);
MUSTER_C_API muster_status muster_unique_id_text(const muster_unique_id* id, muster_buffer* text);
/** `bytes` has room for MUSTER_UNIQUE_ID_BYTES. */
MUSTER_C_API muster_status muster_unique_id_bytes(const muster_unique_id* id, void* bytes);
/** Closes the socket that create has kept, if it is still kept. Freeing the id does not. */
MUSTER_C_API muster_status muster_unique_id_release(const muster_unique_id* id);
MUSTER_C_API void muster_unique_id_free(muster_unique_id* id);

/* ---- Contracts: what all ranks must hold equal ---- */

/** Only digests travel, or the value, which a mismatch then shows. */
enum { MUSTER_SHARE_LOCAL = 0, MUSTER_SHARE_OPEN = 1 };

MUSTER_C_API muster_status muster_contract_create(muster_contract** contract);
MUSTER_C_API muster_status muster_contract_integer(muster_contract* contract, const char* name,
                                                   int64_t value, int share);
MUSTER_C_API muster_status muster_contract_real(muster_contract* contract, const char* name,
                                                double value, int share);
MUSTER_C_API muster_status muster_contract_boolean(muster_contract* contract, const char* name,
                                                   int value, int share);
MUSTER_C_API muster_status muster_contract_text(muster_contract* contract, const char* name,
                                                const char* value, int share);
MUSTER_C_API muster_status muster_contract_blob(muster_contract* contract, const char* name,
                                                muster_bytes value, int share);
MUSTER_C_API void muster_contract_free(muster_contract* contract);

/* ---- Joining and leaving ---- */

enum { MUSTER_SERVE_DEFAULT = 0, MUSTER_SERVE_RANK0 = 1, MUSTER_SERVE_EXTERNAL = 2 };
enum { MUSTER_UNTIL_ALL_JOINED = 0, MUSTER_UNTIL_ADMITTED = 1 };
enum {
  MUSTER_SECURITY_AUTOMATIC = 0,
  MUSTER_SECURITY_NONE = 1,
  MUSTER_SECURITY_SECRET = 2,
  MUSTER_SECURITY_TLS = 3
};
enum { MUSTER_ON_LOSS_DEFAULT = 0, MUSTER_ON_LOSS_FAIL_JOB = 1, MUSTER_ON_LOSS_NOTIFY = 2 };
enum { MUSTER_LOG_ERROR = 0, MUSTER_LOG_WARNING = 1, MUSTER_LOG_INFO = 2, MUSTER_LOG_DEBUG = 3 };

typedef struct muster_join_options {
  size_t struct_size;
  int ignore_environment;            /* 0: what is left out is taken from the environment */
  const char* url;                   /* NULL: not given; so with all that follows */
  const muster_unique_id* unique_id; /* instead of url, job_id, incarnation and secret */
  int64_t rank;                      /* -1: not given */
  int64_t size;                      /* -1: not given */
  int assign_rank;                   /* the server chooses the rank */
  int serve;
  int until;
  const char* job_id;
  const char* incarnation; /* 16 hex digits */
  const char* epoch;       /* 64 hex digits */
  const muster_contract* contract;
  int security;
  muster_bytes secret;
  const char* certificate_file; /* PEM, these three together */
  const char* key_file;
  const char* ca_file;
  const char* crl_file;
  /* Of an encrypted key, asked for while joining; copied. NULL from it: there is none. */
  const char* (*key_password)(void* context);
  void* key_password_context;
  const char* plugin;    /* "mpi", or another one: it says rank and size */
  void* plugin_argument; /* of mpi an MPI_Comm*, or NULL */
  int on_loss;           /* what a lost rank does; the serving rank's counts */
  int listen_fd;         /* -1: not given; a listening socket, which is taken over */
  const char* advertise;
  uint32_t instance;
  uint16_t port_first; /* 0: not given */
  uint16_t port_last;
  double join_timeout;      /* negative: not given, 120 */
  double operation_timeout; /* negative: not given, 120 */
  double heartbeat;         /* negative: not given, 2; 0: no signs of life are exchanged */
  /* NULL: warnings and errors go to standard error. One line, any thread; must not call back. */
  void (*log)(void* context, int level, const char* line);
  void* log_context;
} muster_join_options;

MUSTER_C_API void muster_join_options_init_sized(muster_join_options* options, size_t struct_size);
static inline void muster_join_options_init(muster_join_options* options) {
  muster_join_options_init_sized(options, sizeof *options);
}

/** Returns well when every rank is in. `options` may be NULL: all from the environment. */
MUSTER_C_API muster_status muster_join(const muster_join_options* options, muster_job** job);

/** What a job is; MUSTER_NO_RANK, 0, "" and NULL for NULL. */
MUSTER_C_API uint32_t muster_job_rank(const muster_job* job);
MUSTER_C_API uint32_t muster_job_size(const muster_job* job);
MUSTER_C_API const char* muster_job_id(const muster_job* job);
MUSTER_C_API const char* muster_job_url(const muster_job* job);
MUSTER_C_API const char* muster_job_epoch(const muster_job* job);
/** All ranks; the job's store. They live as long as the job. */
MUSTER_C_API muster_group* muster_job_world(muster_job* job);
MUSTER_C_API muster_store* muster_job_store(muster_job* job);

/** Proves that all ranks hold `contract`; `fingerprint`, NULL or room for 65, gets 64 hex digits.
 */
MUSTER_C_API muster_status muster_job_agree(muster_job* job, const muster_contract* contract,
                                            double timeout, char* fingerprint);
/** Calls `handler` once, when the job fails or its server is gone, from the thread that notices;
 * `why` lives until it returns. It must not block and must not call Muster. NULL: nobody. */
MUSTER_C_API muster_status muster_job_on_failure(
    muster_job* job, void (*handler)(void* context, const muster_error* why), void* context);
/** Ends the job for all ranks. `exit_code`, 1 to 255, is what they should exit with. */
MUSTER_C_API muster_status muster_job_fail(muster_job* job, const char* reason, int exit_code);
/** Waits, bounded, until every rank has left or is lost. The handle is still to be freed. */
MUSTER_C_API muster_status muster_job_leave(muster_job* job, double timeout);
MUSTER_C_API muster_status muster_job_leave_now(muster_job* job);
/** Leaves at once, if the job was not left, and frees it. */
MUSTER_C_API void muster_job_free(muster_job* job);

/* ---- Instances: jobs of a process by number, for programs that have no place for handles ---- */

/** Joins as number `id`, which is also the option `instance` unless that is set. If there is one
 * already, this warns, does nothing, and is well; while it is being joined it is MUSTER_BUSY. */
MUSTER_C_API muster_status muster_instance_join(uint32_t id, const muster_join_options* options);
/** NULL if there is none. To be ended by muster_instance_finalize, and not to be freed. */
MUSTER_C_API muster_job* muster_instance_job(uint32_t id);
/** Leaves and frees; MUSTER_INVALID_ARGUMENT if there is none. Also when leaving says that ranks
 * did not come, the instance is gone. */
MUSTER_C_API muster_status muster_instance_finalize(uint32_t id, double timeout);

/* ---- Groups ---- */

MUSTER_C_API uint32_t muster_group_rank(const muster_group* group);
MUSTER_C_API uint32_t muster_group_size(const muster_group* group);
/** MUSTER_NO_RANK if the group has no such rank. */
MUSTER_C_API uint32_t muster_group_rank_in_job(const muster_group* group, uint32_t rank);

/** A group of some ranks, made by its members alone, who all name the same `members`. */
MUSTER_C_API muster_status muster_group_subset(muster_group* group, const uint32_t* members,
                                               size_t count, double timeout, muster_group** subset);
MUSTER_C_API void muster_group_free(muster_group* group);

/* All ranks say the same label (NULL: none), which is shown when they disagree, the same root and
 * token. A group takes one collective at a time. */

MUSTER_C_API muster_status muster_barrier(muster_group* group, const char* label, double timeout);
/** The root's payload, on every rank. */
MUSTER_C_API muster_status muster_broadcast(muster_group* group, muster_bytes payload,
                                            uint32_t root, const char* label, double timeout,
                                            muster_buffer* value);
/** Every rank's payload on the root; no parts elsewhere. */
MUSTER_C_API muster_status muster_gather(muster_group* group, muster_bytes payload, uint32_t root,
                                         const char* label, double timeout, muster_parts** parts);
/** To each rank what the root has for it: `payloads` and `count` (the group's size) count there. */
MUSTER_C_API muster_status muster_scatter(muster_group* group, const muster_bytes* payloads,
                                          size_t count, uint32_t root, const char* label,
                                          double timeout, muster_buffer* value);
/** `bytes` of every rank, in order of rank: `all` has room for `bytes` times the group's size. */
MUSTER_C_API muster_status muster_allgather(muster_group* group, const void* mine, size_t bytes,
                                            void* all, const char* label, double timeout);
/** The same, sizes may differ. */
MUSTER_C_API muster_status muster_allgatherv(muster_group* group, muster_bytes payload,
                                             const char* label, double timeout,
                                             muster_parts** parts);
/** To each rank `bytes` of `each`, from each rank `bytes` into `all`, in order of rank: both have
 * room for `bytes` times the group's size. */
MUSTER_C_API muster_status muster_alltoall(muster_group* group, const void* each, size_t bytes,
                                           void* all, const char* label, double timeout);
/** An allgatherv bound to a phase and a token of 32 bytes. */
MUSTER_C_API muster_status muster_exchange(muster_group* group, const char* phase,
                                           const void* token, muster_bytes payload, double timeout,
                                           muster_parts** parts);

enum {
  MUSTER_KIND_BARRIER = 1,
  MUSTER_KIND_BROADCAST = 2,
  MUSTER_KIND_GATHER = 3,
  MUSTER_KIND_ALLGATHER = 4,
  MUSTER_KIND_ALLGATHERV = 5,
  MUSTER_KIND_EXCHANGE = 6,
  MUSTER_KIND_SCATTER = 7,
  MUSTER_KIND_ALLTOALL = 8
};

typedef struct muster_call {
  size_t struct_size;
  int kind;
  const char* label;
  muster_bytes payload;
  uint32_t root;
  const muster_bytes* payloads; /* of a scatter, on its root; of an alltoall, on each rank */
  size_t payload_count;
  unsigned char token[32]; /* of an exchange */
} muster_call;

MUSTER_C_API void muster_call_init_sized(muster_call* call, size_t struct_size);
static inline void muster_call_init(muster_call* call) {
  muster_call_init_sized(call, sizeof *call);
}

/** Any collective, without waiting. The group is busy until the request has been waited for, which
 * must be done, once, while the group lives. Nothing works on it between the calls. */
MUSTER_C_API muster_status muster_start(muster_group* group, const muster_call* call,
                                        double timeout, muster_request** request);
/** `*done`: whether waiting would return at once. */
MUSTER_C_API muster_status muster_test(muster_request* request, int* done);
/** The verdict, at the latest when the request's time is over. Frees the request in every case.
 * `parts`, unless NULL: the root's alone of a broadcast, the own one of a scatter. */
MUSTER_C_API muster_status muster_wait(muster_request* request, muster_parts** parts);

/* ---- The store ---- */

/** The store of the job served at `url`, without being a rank of it. */
MUSTER_C_API muster_status muster_store_connect(const char* url, double timeout,
                                                muster_store** store);
MUSTER_C_API void muster_store_free(muster_store* store);

MUSTER_C_API muster_status muster_store_set(muster_store* store, muster_bytes key,
                                            muster_bytes value, double timeout);
/** The key goes when this rank does. */
MUSTER_C_API muster_status muster_store_set_owned(muster_store* store, muster_bytes key,
                                                  muster_bytes value, double timeout);
/** The value now, or MUSTER_NOT_FOUND. */
MUSTER_C_API muster_status muster_store_get(muster_store* store, muster_bytes key, double timeout,
                                            muster_buffer* value);
/** The value, as soon as there is one. */
MUSTER_C_API muster_status muster_store_wait_get(muster_store* store, muster_bytes key,
                                                 double timeout, muster_buffer* value);
/** Returns when all keys are there. */
MUSTER_C_API muster_status muster_store_wait(muster_store* store, const muster_bytes* keys,
                                             size_t count, double timeout);
/** Adds to the decimal integer under the key (absent: 0); `sum` may be NULL. */
MUSTER_C_API muster_status muster_store_add(muster_store* store, muster_bytes key, int64_t delta,
                                            double timeout, int64_t* sum);
/** `length`, which may be NULL: the value's, afterwards. */
MUSTER_C_API muster_status muster_store_append(muster_store* store, muster_bytes key,
                                               muster_bytes value, double timeout,
                                               uint64_t* length);
/** Sets `desired` if the value is `*expected`; NULL: if the key is absent. `before`, which may be
 * NULL, gets the value before, with `data` NULL if there was none. */
MUSTER_C_API muster_status muster_store_compare_set(muster_store* store, muster_bytes key,
                                                    const muster_bytes* expected,
                                                    muster_bytes desired, double timeout,
                                                    int* swapped, muster_buffer* before);
/** `was_there` may be NULL. */
MUSTER_C_API muster_status muster_store_remove(muster_store* store, muster_bytes key,
                                               double timeout, int* was_there);
/** The values at one moment, in the order of `keys`. */
MUSTER_C_API muster_status muster_store_multi_get(muster_store* store, const muster_bytes* keys,
                                                  size_t count, double timeout,
                                                  muster_parts** values);
/** All of them, or none. */
MUSTER_C_API muster_status muster_store_multi_set(muster_store* store, const muster_bytes* keys,
                                                  const muster_bytes* values, size_t count,
                                                  double timeout);
/** Keys that begin with `prefix` and sort behind `after`, at most `keys_max` (0: a page). `more`:
 * ask again, after the last one. */
MUSTER_C_API muster_status muster_store_list(muster_store* store, muster_bytes prefix,
                                             muster_bytes after, size_t keys_max, double timeout,
                                             muster_parts** keys, int* more);
/** Calls `handler` for every change of a key that begins with `prefix`; `value.data` is NULL for a
 * key that was removed. It may use the store. */
MUSTER_C_API muster_status muster_store_watch(muster_store* store, muster_bytes prefix,
                                              void (*handler)(void* context, muster_bytes key,
                                                              muster_bytes value),
                                              void* context, double timeout, uint32_t* watch);
MUSTER_C_API muster_status muster_store_unwatch(muster_store* store, uint32_t watch,
                                                double timeout);

#ifdef __cplusplus
}
#endif

#endif
