import { SOURCE_PATH_BYTES_MAX, SOURCE_PATH_SEGMENTS_MAX, SOURCE_SEGMENT_BYTES_MAX } from "./limits.ts";

const EXTENSION = ".spx";
/** First byte a letter or digit, last byte no dot; everything between is free within the alphabet. */
const SEGMENT = /^[a-z0-9](?:[a-z0-9._-]*[a-z0-9_-])?$/;
/** Names that some system gives to a device, whatever extension follows. */
const DEVICE = /^(?:con|prn|aux|nul|com[1-9]|lpt[1-9])(?:\.|$)/;

/**
 * Whether a text is a source path (P18): relative, without any spelling that means something else somewhere, and
 * ending in `.spx`.
 */
export function isSourcePath(path: string): boolean {
  // Within the alphabet of a segment the length in UTF-16 units is the length in bytes.
  if (path.length > SOURCE_PATH_BYTES_MAX) return false;
  if (!path.endsWith(EXTENSION)) return false;
  const segments = path.split("/");
  return segments.length <= SOURCE_PATH_SEGMENTS_MAX && segments.every(isSegment);
}

// A last segment that is nothing but `.spx` starts with a dot, so `isSegment` refuses it.
function isSegment(segment: string): boolean {
  return segment.length <= SOURCE_SEGMENT_BYTES_MAX && SEGMENT.test(segment) && !DEVICE.test(segment);
}
