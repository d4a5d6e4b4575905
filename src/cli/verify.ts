/** `semaprax verify`: whether a document is an envelope that this system can have produced (L17). */
import { equalBytes } from "../kernel/bytes.ts";
import { runTest } from "../project/execution.ts";
import type { Snapshot } from "../project/snapshot.ts";
import { type ExpectedEnvelope, verifyEnvelope } from "../project/verify.ts";
import type { Envelope, EnvelopeOutcome } from "../project/verify-text.ts";
import { COLOUR_OPTION, defineCommand, Exit, type Surroundings } from "./command.ts";
import { readNamedFile } from "./named-file.ts";
import { loadSnapshot } from "./project.ts";
import { visibleWords } from "./visible-text.ts";

const STDIN = "-";
/** The longest envelope (X44), the LF after it, and one byte more, so that it is the verifier who refuses. */
const DOCUMENT_BYTES_MAX = 16_777_216 + 2;
const LF = 0x0a;
/** The step that compares with the project of `--against` (X44). */
const EXPECTATION_STEP = 10;
const ANOTHER_PROJECT =
  "the project changed since, or it is another one: semaprax test --json prints a new envelope";

export const verify = defineCommand({
  name: "verify",
  summary: "verify an execution envelope",
  about: [
    "Reads the envelope that semaprax test --json printed, from a file or with - from stdin, and says",
    "whether it is one that a test run can have produced. One LF at its end is not part of it.",
  ],
  operands: { shown: "FILE|-", min: 1, max: 1 },
  options: {
    "--against": {
      takes: "text",
      placeholder: "PATH",
      about: "also load the project of this manifest, compare, and evaluate again",
    },
    ...COLOUR_OPTION,
  },
  run(options, [path = ""], surroundings) {
    const document = readDocument(path, surroundings);
    if (document === null) return Exit.Refused;
    const against = options["--against"];
    const snapshot = against === null ? null : loadSnapshot(against, surroundings);
    if (against !== null && snapshot === null) return Exit.Refused;
    const verdict = verifyEnvelope(document, snapshot === null ? {} : expectationOf(snapshot));
    if (!verdict.accepted) {
      const help = verdict.step === EXPECTATION_STEP ? ANOTHER_PROJECT : null;
      return refuse(`step ${verdict.step}: ${verdict.message}`, help, surroundings);
    }
    const { envelope } = verdict;
    if (snapshot !== null && !isRepeated(snapshot, envelope, document)) {
      return refuse("evaluated again, the project gives another envelope", null, surroundings);
    }
    surroundings.io.out(`${surroundings.palette.good(verifiedLine(envelope))}\n`);
    return Exit.Good;
  },
});

/** The bytes without the LF that `--json` ends a document with (L4). */
function readDocument(path: string, { io }: Surroundings): Uint8Array | null {
  const read = path === STDIN ? io.input(DOCUMENT_BYTES_MAX) : readNamedFile(path, DOCUMENT_BYTES_MAX);
  if (!read.ok) {
    io.err(`semaprax verify: ${path === STDIN ? "stdin" : visibleWords(path)} ${read.words}\n`);
    return null;
  }
  const bytes = "bytes" in read ? read.bytes : read.value.bytes;
  return bytes.at(-1) === LF ? bytes.subarray(0, -1) : bytes;
}

function expectationOf({
  manifest,
  program,
  projectRevision,
  workspaceRevision,
}: Snapshot): ExpectedEnvelope {
  const { main } = program.test;
  return {
    project: manifest.name,
    projectRevision,
    workspaceRevision,
    module: manifest.testModule,
    stableId: program.functionIds[main.file]![main.function]!,
  };
}

function isRepeated(snapshot: Snapshot, { limits }: Envelope, document: Uint8Array): boolean {
  const report = runTest(snapshot, { maxSteps: limits.max_steps, maxBytes: limits.max_bytes });
  return report.ok && equalBytes(report.value.envelope, document);
}

function verifiedLine({ role, module, project_revision, outcome }: Envelope): string {
  return `verified: ${role} ${module} ${project_revision} ${outcomeShown(outcome)}`;
}

/** `returned 0`, `language_failure semaprax.arithmetic.v1 4`, `fuel_exhausted` */
function outcomeShown(outcome: EnvelopeOutcome): string {
  if ("value" in outcome) return `${outcome.kind} ${outcome.value}`;
  if ("status" in outcome) return `${outcome.kind} ${outcome.status.domain_id} ${outcome.status.code}`;
  return outcome.kind;
}

function refuse(words: string, help: string | null, { io, errorPalette }: Surroundings): Exit.Refused {
  io.err(`${errorPalette.error("SPX-F106")}: ${visibleWords(words)}\n`);
  if (help !== null) io.err(`${errorPalette.help("help:")} ${help}\n`);
  return Exit.Refused;
}
