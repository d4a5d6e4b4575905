/** Every bound of the daemon. A limit's value passes, one more is refused. */

/** Bytes of a frame, LF excluded (D2, D17). */
export const REQUEST_BYTES_DEFAULT = 65_536;
export const REQUEST_BYTES_MIN = 1;
export const REQUEST_BYTES_MAX = 1_048_576;

/** Bytes of a response, LF included (D2, D30). */
export const RESPONSE_BYTES_DEFAULT = 1_048_576;
/** The overflow response with the id `null` and its LF. */
export const RESPONSE_BYTES_MIN = 103;
export const RESPONSE_BYTES_MAX = 16_777_216;

/** UTF-8 bytes of a method name and of an id that is a string, after unescaping (D20 row 6, D24). */
export const NAME_BYTES_MAX = 128;

/** The read buffer through which the rest of an oversized frame is dropped (D11, D66). */
export const READ_BYTES = 65_536;
