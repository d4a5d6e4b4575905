/** The loop: one frame after the other until the session ends (D9), then the exit status (D13, D14). */
import { failureText, placedFailureText } from "../kernel/failure.ts";
import type { Frame, FrameReader } from "./frame-reader.ts";
import { type WriteSlices, writeResponse } from "./frame-writer.ts";
import type { End } from "./method.ts";
import type { Reply, Session } from "./session.ts";

/** How the process ends: with status 0 and nothing on stderr, or with status 1 and these words. */
export type Ending = { readonly status: 0 } | { readonly status: 1; readonly words: string };

/** Why the loop was left. */
type Stop = End | { readonly kind: "broken"; readonly words: string };

/** Serves requests until one of the ends of D13. */
export function serve(session: Session, reader: FrameReader, write: WriteSlices): Ending {
  const stop = serveFrames(session, reader, write);
  // A project that did not load again is looked at by a person, as one that did not load at the start.
  if (stop.kind === "failed") return { status: 1, words: placedFailureText(stop.failure) };
  const words = stop.kind === "broken" ? [stop.words] : [];
  const authentic = session.close();
  if (!authentic.ok) words.push(failureText(authentic.failure));
  return words.length === 0 ? { status: 0 } : { status: 1, words: words.join("; ") };
}

function serveFrames(session: Session, reader: FrameReader, write: WriteSlices): Stop {
  for (;;) {
    const frame = reader.next();
    if (frame.kind === "end") return { kind: "closed" };
    if (frame.kind === "failed") return { kind: "broken", words: frame.words };
    const { response, end } = replyTo(session, frame);
    if (response !== null) {
      const words = writeResponse(write, response);
      if (words !== null) return end?.kind === "failed" ? end : { kind: "broken", words };
    }
    if (frame.kind === "oversized") {
      const words = reader.drain();
      if (words !== null) return { kind: "broken", words };
    }
    if (end !== null) return end;
  }
}

function replyTo(session: Session, frame: Extract<Frame, { kind: "frame" | "oversized" }>): Reply {
  return frame.kind === "frame" ? session.handle(frame.bytes) : session.handleOversized();
}
