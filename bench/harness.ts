// What a benchmark file exports, and how its cases are measured: each of ours in turns with its rivals in one run, so
// that a result is a ratio, which means the same on a fast machine and on a slow one.
import { do_not_optimize, measure } from "mitata";

/** One thing to measure. It must do the whole work at each call and return something that depends on it. */
export interface Contender {
  readonly name: string;
  readonly run: () => unknown;
  /** Does the work once and says what came of it. All contenders of a case that can say so must say the same. */
  readonly result?: () => unknown;
}

export interface Case {
  /** For example `325-byte request`. */
  readonly name: string;
  readonly ours: Contender;
  /** Plain ways to do the same work, what a user would write. At least one. */
  readonly rivals: readonly [Contender, ...Contender[]];
  /** How much work one call does, where a rate says more than a time. */
  readonly work?: { readonly amount: number; readonly unit: "bytes" | "steps" | "edges" | "requests" };
}

/** Memory, which is read once and not timed. */
export interface MemoryCase {
  readonly name: string;
  readonly bytes: { readonly ours: Amount; readonly rivals: readonly [Amount, ...Amount[]] };
}

export interface Amount {
  readonly name: string;
  readonly bytes: number;
}

export interface Options {
  /** Only to show that everything runs: inputs may be small, and each contender is called a few times. */
  readonly short: boolean;
}

/**
 * The cases of one hot path. `prepare` builds inputs; it is not measured, and nothing is built before it is called.
 * `leftOut` names what cannot be measured here.
 */
export interface HotPath {
  readonly name: string;
  prepare(options: Options, leftOut: (what: string) => void): Cases | Promise<Cases>;
}

type Cases = Iterable<Case | MemoryCase> | AsyncIterable<Case | MemoryCase>;

/** What one call takes, in nanoseconds or, for memory, bytes. */
export interface Measurement {
  readonly name: string;
  readonly min: number;
  readonly median: number;
  readonly p99: number;
}

export interface Measured {
  readonly path: string;
  readonly name: string;
  readonly unit: "ns" | "bytes";
  readonly ours: Measurement;
  readonly rivals: readonly Measurement[];
  /** Median of the first rival divided by ours: above 1 we are better. */
  readonly ratio: number;
  /** Units of work a second, by the median; null where the case states no work. */
  readonly rate: { readonly perSecond: number; readonly unit: string } | null;
}

export const RESULT_SCHEMA = "semaprax.bench.v1";

/** What `--json` writes. */
export interface ResultFile {
  readonly schema: string;
  readonly bun: string;
  readonly short: boolean;
  /** What could not be measured here. */
  readonly leftOut: readonly string[];
  readonly results: readonly Measured[];
}

/** Contenders take turns, so that a busy moment of the machine meets all of them. */
const ROUNDS = 3;
const ROUND = { min_cpu_time: 120e6, min_samples: 4, warmup_samples: 1 };
const SHORT_CALLS = 3;

export async function measureCase(
  path: string,
  item: Case | MemoryCase,
  { short }: Options,
): Promise<Measured> {
  if ("bytes" in item) {
    const { ours, rivals } = item.bytes;
    return summary(path, item.name, "bytes", read(ours), rivals.map(read), null);
  }
  const contenders = [item.ours, ...item.rivals];
  requireAgreement(item.name, contenders);
  const samples = contenders.map((): number[] => []);
  for (let round = 0; round < (short ? 1 : ROUNDS); round++) {
    for (const [index, contender] of contenders.entries()) {
      samples[index]!.push(...(short ? callAFewTimes(contender) : await callOften(contender)));
    }
  }
  const [ours, ...rivals] = contenders.map(({ name }, index) => describe(name, samples[index]!));
  const rate = item.work && { perSecond: (item.work.amount * 1e9) / ours!.median, unit: item.work.unit };
  return summary(path, item.name, "ns", ours!, rivals, rate ?? null);
}

/** A contender that is fast because it is wrong has no time. */
function requireAgreement(name: string, contenders: readonly Contender[]): void {
  const results = contenders.flatMap(({ result }) => (result === undefined ? [] : [result()]));
  if (!results.every((result) => Bun.deepEquals(result, results[0]))) {
    throw new Error(
      `${name}: the contenders do not agree: ${results.map((result) => Bun.inspect(result)).join(" | ")}`,
    );
  }
}

async function callOften(contender: Contender): Promise<readonly number[]> {
  return (await measure(() => do_not_optimize(contender.run()), ROUND)).samples;
}

function callAFewTimes(contender: Contender): number[] {
  return Array.from({ length: SHORT_CALLS }, () => {
    const start = Bun.nanoseconds();
    do_not_optimize(contender.run());
    return Bun.nanoseconds() - start;
  });
}

function describe(name: string, samples: readonly number[]): Measurement {
  const sorted = [...samples].sort((a, b) => a - b);
  const at = (part: number) => sorted[Math.floor(part * (sorted.length - 1))]!;
  return { name, min: at(0), median: at(0.5), p99: at(0.99) };
}

function read({ name, bytes }: Amount): Measurement {
  return { name, min: bytes, median: bytes, p99: bytes };
}

function summary(
  path: string,
  name: string,
  unit: Measured["unit"],
  ours: Measurement,
  rivals: readonly Measurement[],
  rate: Measured["rate"],
): Measured {
  return { path, name, unit, ours, rivals, ratio: rivals[0]!.median / ours.median, rate };
}

/** One line: who took part. Times of a few calls would only mislead. */
export function formatRun({ name, ours, rivals }: Measured): string {
  return `  ${name}: ${[ours, ...rivals].map((contender) => contender.name).join("; ")}`;
}

/** Two or more lines for people: ours, then each rival with the factor by which we are better. */
export function formatMeasured({ name, unit, ours, rivals, rate }: Measured): string {
  const format = unit === "ns" ? formatNs : formatBytes;
  const rows = [`  ${name}`];
  rows.push(`    ${ours.name.padEnd(40)} ${format(ours.median).padStart(10)}${formatRate(rate)}`);
  for (const rival of rivals) {
    const factor = (rival.median / ours.median).toFixed(2);
    rows.push(`    ${rival.name.padEnd(40)} ${format(rival.median).padStart(10)}  x${factor}`);
  }
  return rows.join("\n");
}

export function formatNs(ns: number): string {
  if (ns < 1e3) return `${ns.toFixed(1)} ns`;
  if (ns < 1e6) return `${(ns / 1e3).toFixed(2)} µs`;
  if (ns < 1e9) return `${(ns / 1e6).toFixed(2)} ms`;
  return `${(ns / 1e9).toFixed(2)} s`;
}

function formatBytes(bytes: number): string {
  return `${(bytes / 1_048_576).toFixed(1)} MiB`;
}

function formatRate(rate: Measured["rate"]): string {
  if (rate === null) return "";
  const [scale, prefix] =
    rate.perSecond >= 1e9 ? [1e9, "G"] : rate.perSecond >= 1e6 ? [1e6, "M"] : [1e3, "k"];
  return `  ${(rate.perSecond / scale).toFixed(1)} ${prefix} ${rate.unit}/s`;
}
