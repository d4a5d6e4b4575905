/** Every bound of the bridge. A limit's value passes, one more is refused. */

/** Events in the inbox, finished ones included (R116, R118). */
export const EVENTS_DEFAULT = 256;
/** Different reports that are remembered of one event (R123). */
export const REPORTS_PER_EVENT_MAX = 16;

/** Milliseconds of one job, all its sessions together (R116). */
export const JOB_TIMEOUT_MS_DEFAULT = 120_000;
/** The longest time until a deadline is noticed, in milliseconds, however the clock moves. */
export const CLOCK_CHECK_MS = 250;
/** Fresh sessions that a job may start after its first was invalidated (R121). */
export const RESTARTS_MAX = 3;
/** Jobs at the same time, each of another project: every one of them is a process. */
export const PARALLEL_JOBS_MAX = 4;

/** UTF-8 bytes of an expected revision in a payload (R117). */
export const EXPECTED_REVISION_BYTES_MAX = 256;
/** UTF-8 bytes of a decision's summary (R45). */
export const SUMMARY_BYTES_MAX = 4096;
/** Bytes kept of what a daemon writes to stderr: more than a summary can show. */
export const STDERR_BYTES_MAX = 65_536;

/** Reports on their way to another host that are remembered (R123). */
export const OUTGOING_REPORTS_MAX = 1024;
