// What a benchmark file exports, and how its cases are measured: each of ours directly beside its rivals in one run, so
// that a result is a ratio, which means the same on a fast machine and on a slow one.
import { do_not_optimize, measure } from "mitata";

/** One thing to measure. It must do the whole work at each call and return something that depends on it. */
export interface Contender {
  readonly name: string;
  readonly run: () => unknown;
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

/** The cases of one hot path. `prepare` builds inputs; it is not measured, and nothing is built before it is called. */
export interface HotPath {
  readonly name: string;
  prepare(options: { readonly short: boolean }): readonly Case[] | Promise<readonly Case[]>;
}

/** Times of one call in nanoseconds. */
export interface Timing {
  readonly name: string;
  readonly minNs: number;
  readonly medianNs: number;
  readonly p99Ns: number;
}

export interface Measured {
  readonly path: string;
  readonly name: string;
  readonly ours: Timing;
  readonly rivals: readonly Timing[];
  /** Median of the first rival divided by ours: above 1 we are faster. */
  readonly ratio: number;
  /** Units of work a second, by the median; null where the case states no work. */
  readonly rate: { readonly perSecond: number; readonly unit: string } | null;
}

const LONG = { min_cpu_time: 300e6, min_samples: 12, warmup_samples: 3 };
const SHORT = {
  min_cpu_time: 1e6,
  min_samples: 2,
  warmup_samples: 1,
  batch_samples: 2,
  samples_threshold: 2,
};

async function time(contender: Contender, short: boolean): Promise<Timing> {
  const { min, p50, p99 } = await measure(() => do_not_optimize(contender.run()), short ? SHORT : LONG);
  return { name: contender.name, minNs: min, medianNs: p50, p99Ns: p99 };
}

export async function measureCase(path: string, item: Case, short: boolean): Promise<Measured> {
  const ours = await time(item.ours, short);
  const rivals: Timing[] = [];
  for (const rival of item.rivals) rivals.push(await time(rival, short));
  const rate = item.work && { perSecond: (item.work.amount * 1e9) / ours.medianNs, unit: item.work.unit };
  return {
    path,
    name: item.name,
    ours,
    rivals,
    ratio: (rivals[0]?.medianNs ?? Number.NaN) / ours.medianNs,
    rate: rate ?? null,
  };
}

export function formatNs(ns: number): string {
  if (ns < 1e3) return `${ns.toFixed(1)} ns`;
  if (ns < 1e6) return `${(ns / 1e3).toFixed(2)} µs`;
  if (ns < 1e9) return `${(ns / 1e6).toFixed(2)} ms`;
  return `${(ns / 1e9).toFixed(2)} s`;
}

function formatRate(rate: Measured["rate"]): string {
  if (rate === null) return "";
  const scaled = rate.perSecond >= 1e9 ? [1e9, "G"] : rate.perSecond >= 1e6 ? [1e6, "M"] : [1e3, "k"];
  return `  ${(rate.perSecond / Number(scaled[0])).toFixed(1)} ${scaled[1]} ${rate.unit}/s`;
}

/** Two or more lines for people: ours, then each rival with the factor by which we are faster. */
export function formatMeasured(measured: Measured): string {
  const rows = [`  ${measured.name}`];
  rows.push(
    `    ${measured.ours.name.padEnd(36)} ${formatNs(measured.ours.medianNs).padStart(10)}${formatRate(measured.rate)}`,
  );
  for (const rival of measured.rivals) {
    const factor = (rival.medianNs / measured.ours.medianNs).toFixed(2);
    rows.push(`    ${rival.name.padEnd(36)} ${formatNs(rival.medianNs).padStart(10)}  x${factor}`);
  }
  return rows.join("\n");
}
