/** Modules, functions and edges of the project graph in words, with the places in the sources that the graph itself leaves out. */
import {
  DeclarationKind,
  EdgeKind,
  nameOfNode,
  type ProjectGraph,
  type StringTable,
} from "../graph/storage.ts";
import type { AdmittedProject, FunctionRef } from "../lang/checked.ts";
import { PositionIndex } from "../lang/positions.ts";
import { type FunctionSyntax, NodeKind, type SyntaxFile } from "../lang/syntax.ts";
import { Visit, Walk } from "../lang/walk.ts";
import { signature } from "./signature.ts";
import { visibleWords } from "./visible-text.ts";

const decoder = new TextDecoder("utf-8", { ignoreBOM: true });

export class GraphText {
  readonly #refs = new Map<string, FunctionRef>();
  readonly #positions: (PositionIndex | undefined)[] = [];
  /** Start offsets of the calls of a root in pre-order, by `FILE:FUNCTION:ROOT`. */
  readonly #calls = new Map<string, readonly number[]>();

  constructor(
    readonly graph: ProjectGraph,
    readonly program: AdmittedProject,
  ) {
    for (const [file, ids] of program.functionIds.entries()) {
      for (const [index, id] of ids.entries()) this.#refs.set(id, { file, function: index });
    }
  }

  /** The name of a module or the id of a declaration. */
  nodeName(node: number): string {
    return visibleWords(stringText(this.graph, nameOfNode(this.graph, node)));
  }

  /** Every function of the project as a node number, in the order of ids. */
  functionNodes(): number[] {
    const { moduleCount, declarationCount, declKind } = this.graph;
    const nodes: number[] = [];
    for (let declaration = 0; declaration < declarationCount; declaration++) {
      if (declKind[declaration] === DeclarationKind.Function) nodes.push(moduleCount + declaration);
    }
    return nodes;
  }

  /** Of a module its path; of a function its signature and where it is. */
  nodeFacts(node: number): readonly string[] {
    const { graph } = this;
    if (node < graph.moduleCount) return [`module ${stringText(graph, graph.modulePath[node]!)}`];
    const { ref, file, declared } = this.#functionOf(node);
    return [signature(file, declared), this.#place(ref.file, declared.start)];
  }

  /** `calls B`, `imports B as C`: an edge seen from its source. */
  edgeForward(edge: number): string {
    const target = this.nodeName(this.graph.edgeTarget[edge]!);
    const alias = visibleWords(stringText(this.graph, this.graph.edgeAlias[edge]!));
    return this.#isCall(edge)
      ? `calls ${target} at ${this.edgePlace(edge)}`
      : `imports ${target} as ${alias} at ${this.edgePlace(edge)}`;
  }

  /** The same edge seen from its target. */
  edgeReverse(edge: number): string {
    const source = this.nodeName(this.graph.edgeSource[edge]!);
    const verb = this.#isCall(edge) ? "is called by" : "is imported by";
    return `${verb} ${source} at ${this.edgePlace(edge)}`;
  }

  /** Edges in the order in which they stand in the sources, which the artifact's list is not. */
  inSourceOrder(edges: readonly number[]): number[] {
    const placed = edges.map((edge) => ({ edge, ...this.#edgeStart(edge) }));
    placed.sort((a, b) => a.file - b.file || a.start - b.start);
    return placed.map(({ edge }) => edge);
  }

  /** `src/app.spx:8:5`: the call, or the `use`. */
  edgePlace(edge: number): string {
    const { file, start } = this.#edgeStart(edge);
    return this.#place(file, start);
  }

  #edgeStart(edge: number): { readonly file: number; readonly start: number } {
    const { graph } = this;
    const source = graph.edgeSource[edge]!;
    const ordinal = graph.edgeOrdinal[edge]!;
    if (source < graph.moduleCount) return { file: source, start: this.#file(source).uses[ordinal]!.start };
    const { ref, file, declared } = this.#functionOf(source);
    const root = /^(body|(requires|ensures)\.\d+)/.exec(stringText(graph, graph.edgePath[edge]!))?.[0] ?? "";
    return { file: ref.file, start: this.#callsOf(ref, file, declared, root)[ordinal]! };
  }

  #isCall(edge: number): boolean {
    return this.graph.edgeKind[edge] === EdgeKind.Call;
  }

  /** Modules of the graph and files of the program are both in path order. */
  #file(module: number): SyntaxFile {
    return this.program.files[module]!;
  }

  #functionOf(node: number): {
    readonly ref: FunctionRef;
    readonly file: SyntaxFile;
    readonly declared: FunctionSyntax;
  } {
    const ref = this.#refs.get(stringText(this.graph, nameOfNode(this.graph, node)))!;
    const file = this.#file(ref.file);
    return { ref, file, declared: file.functions[ref.function]! };
  }

  #callsOf(ref: FunctionRef, file: SyntaxFile, declared: FunctionSyntax, root: string): readonly number[] {
    const key = `${ref.file}:${ref.function}:${root}`;
    const known = this.#calls.get(key);
    if (known !== undefined) return known;
    const [site, number] = root.split(".");
    const clauses = site === "requires" ? declared.requires : declared.ensures;
    const node = site === "body" ? declared.body : clauses[Number(number)]!;
    const calls: number[] = [];
    const walk = new Walk(file.tree);
    walk.start(node);
    for (let visit = walk.step(); visit !== Visit.Done; visit = walk.step()) {
      const isCall = visit === Visit.Enter && file.tree.nodeKind[walk.node] === NodeKind.Call;
      if (isCall) calls.push(file.tree.nodeStart[walk.node]!);
    }
    this.#calls.set(key, calls);
    return calls;
  }

  #place(file: number, start: number): string {
    const { source } = this.#file(file);
    const positions = this.#positions[file] ?? new PositionIndex(source);
    this.#positions[file] = positions;
    const { line, column } = positions.span({ start, end: start });
    return `${source.path}:${line}:${column}`;
  }
}

export function stringText({ utf8, utf8Start }: StringTable, string: number): string {
  return decoder.decode(utf8.subarray(utf8Start[string]!, utf8Start[string + 1]!));
}
