/** How a run ended, in words: one line for the outcome, and for a failure what led to it (L15). */
import type { CheckedProject } from "../lang/checked.ts";
import { CALL_DEPTH_MAX, type RunOutcome, type RunResult } from "../lang/interpret.ts";
import type { Program } from "../lang/machine.ts";
import { spanOf } from "../lang/source.ts";
import { BinaryOperator, NodeKind } from "../lang/syntax.ts";
import type { Palette } from "./colour.ts";
import { excerpt } from "./render-diagnostic.ts";
import { textOf } from "./signature.ts";
import { failedOperands, failedResult, openFrames, type TraceFrame } from "./trace.ts";
import { clipLine, visibleWords } from "./visible-text.ts";

/** How many of the open calls are shown. */
const FRAMES_SHOWN = 8;

/** `returned 0 in 41 steps` */
export function outcomeLine({ outcome, stepsUsed }: RunResult): string {
  switch (outcome.kind) {
    case "returned":
      return `returned ${outcome.value} in ${stepsUsed} steps`;
    case "arithmetic_failure":
      return `${arithmeticWords(outcome.code)} after ${stepsUsed} steps`;
    case "contract_failure":
      return `${clauseKind(outcome.code)} clause is false after ${stepsUsed} steps`;
    case "fuel_exhausted":
      return `fuel exhausted after ${stepsUsed} steps`;
    case "call_depth_exceeded":
      return `call depth exceeded after ${stepsUsed} steps`;
  }
}

/** Lines about a run that did not return, each ended by LF; the program has not been run since. */
export function explainFailure(
  project: CheckedProject,
  program: Program,
  outcome: RunOutcome,
  maxSteps: number,
  palette: Palette,
): string {
  if (outcome.kind === "returned") return "";
  const frames = openFrames(project, program, FRAMES_SHOWN);
  const [innermost, ...callers] = frames;
  if (innermost === undefined) return "";
  const lines = [...endLines(program, outcome, maxSteps, innermost, palette), ...callerLines(callers)];
  const hidden = program.machine.depth + 1 - frames.length;
  if (hidden > 0) lines.push(`  … and ${hidden} more`);
  return lines.map((line) => `${line}\n`).join("");
}

function endLines(
  program: Program,
  outcome: Exclude<RunOutcome, { kind: "returned" }>,
  maxSteps: number,
  frame: TraceFrame,
  palette: Palette,
): string[] {
  switch (outcome.kind) {
    case "arithmetic_failure":
      return [
        ...pictured(frame, palette),
        `  ${operationText(program, frame)}: ${arithmeticWords(outcome.code)}`,
        ...functionLines(frame),
      ];
    case "contract_failure": {
      const clause = textOf(frame.file, nodeStart(frame), nodeEnd(frame));
      const kind = clauseKind(outcome.code);
      const result = kind === "ensures" ? [`    result = ${failedResult(program, frame.declared)}`] : [];
      return [
        ...pictured(frame, palette),
        `  ${kind} ${clipLine(visibleWords(clause))}`,
        ...functionLines(frame),
        ...result,
      ];
    }
    case "fuel_exhausted":
      return [`  the bound is ${maxSteps} steps; --max-steps N raises it`, ...functionLines(frame)];
    case "call_depth_exceeded":
      return [
        ...pictured(frame, palette),
        `  the bound is ${CALL_DEPTH_MAX} open calls`,
        ...functionLines(frame),
      ];
  }
}

/** Where it happened, with the source line. */
function pictured(frame: TraceFrame, palette: Palette): string[] {
  const { source } = frame.file;
  const span = spanOf(source, { start: nodeStart(frame), end: nodeEnd(frame) });
  const arrow = `  ${palette.frame("-->")} ${source.path}:${span.line}:${span.column}`;
  return [arrow, ...excerpt(source.bytes, span, palette, palette.error)];
}

/** The function and each of its arguments. */
function functionLines({ declared, values }: TraceFrame): string[] {
  const given = declared.parameters.map(({ name }, index) => `    ${name.text} = ${values[index]}`);
  return [`  in ${declared.name.text}`, ...given];
}

function callerLines(callers: readonly TraceFrame[]): string[] {
  return callers.map((frame) => {
    const { file, declared, values } = frame;
    const { line, column } = spanOf(file.source, { start: nodeStart(frame), end: nodeEnd(frame) });
    const shown = declared.parameters.map(({ name }, index) => `${name.text} = ${values[index]}`);
    return `  called by ${declared.name.text}(${shown.join(", ")}) at ${file.source.path}:${line}:${column}`;
  });
}

/** `84 / 0` */
function operationText(program: Program, { file, node }: TraceFrame): string {
  if (file.tree.nodeKind[node] === NodeKind.Unary) return `-(${failedOperands(program, 1)[0]})`;
  const [left, right] = failedOperands(program, 2);
  return `${left} ${operatorText(file.tree.nodeData[node]!)} ${right}`;
}

function operatorText(operator: BinaryOperator): string {
  switch (operator) {
    case BinaryOperator.Add:
      return "+";
    case BinaryOperator.Subtract:
      return "-";
    case BinaryOperator.Multiply:
      return "*";
    case BinaryOperator.Divide:
      return "/";
    case BinaryOperator.Remainder:
      return "%";
    default:
      throw new Error("not an operation that can fail");
  }
}

/** X16. */
function arithmeticWords(code: number): string {
  switch (code) {
    case 1:
      return "addition leaves the i64 range";
    case 2:
      return "subtraction leaves the i64 range";
    case 3:
      return "multiplication leaves the i64 range";
    case 4:
      return "division by zero";
    case 5:
      return "division leaves the i64 range";
    case 6:
      return "remainder by zero";
    case 7:
      return "remainder of the smallest i64 by -1";
    case 8:
      return "negation leaves the i64 range";
    default:
      throw new Error(`no arithmetic failure has code ${code}`);
  }
}

function clauseKind(code: number): "requires" | "ensures" {
  return code === 1 ? "requires" : "ensures";
}

function nodeStart({ file, node }: TraceFrame): number {
  return file.tree.nodeStart[node]!;
}

function nodeEnd({ file, node }: TraceFrame): number {
  return file.tree.nodeEnd[node]!;
}
