/**
 * Finding the edges (graph.md 2) in two passes over the syntax trees. The first adds up lengths only and stops at a
 * bound; the second, when everything is known to fit, writes the AST paths (G27).
 */
import { refuse, success, type Outcome } from "../kernel/failure.ts";
import { pathSegment } from "../lang/identity.ts";
import { type FunctionSyntax, NodeKind } from "../lang/syntax.ts";
import { Visit, Walk } from "../lang/walk.ts";
import { callTextLength, importTextLength } from "./edge-text.ts";
import { ARTIFACT_BYTES_MAX, EDGES_MAX } from "./limits.ts";
import type { Outline } from "./outline.ts";
import { EdgeKind, EdgeSite, NONE } from "./storage.ts";
import type { SymbolArena } from "./symbols.ts";

export interface EdgeMeasure {
  readonly importCount: number;
  readonly callCount: number;
  /** Bytes of all edge objects, without what is between them. */
  readonly textBytes: number;
  /** Bytes of all AST paths of calls, repetitions included. */
  readonly callPathBytes: number;
}

/** The edges in the order in which they were found, in the numbering of {@link Outline}. */
export interface EdgeDraft {
  readonly count: number;
  /** A file for an import; `moduleCount` plus the number of a function for a call. */
  readonly source: Uint32Array;
  /** The number of a function. */
  readonly target: Uint32Array;
  /** Symbols. */
  readonly path: Uint32Array;
  readonly alias: Uint32Array;
  readonly ordinal: Uint32Array;
  readonly kind: Uint8Array;
  readonly site: Uint8Array;
}

/** One call of an import alias. The walk stands at the entry of its node. The object is used again for the next call. */
interface ImportedCall {
  /** Of the calling function. */
  file: number;
  function: number;
  site: EdgeSite;
  /** The first segment of the AST path (G12). */
  root: string;
  /** Number of the use that the alias belongs to. */
  use: number;
  ordinal: number;
  pathBytes: number;
  walk: Walk;
}

/** Counts and measures every edge (G9 to G14); G171 where a bound of G28 is passed. */
export function measureEdges(outline: Outline): Outcome<EdgeMeasure> {
  let importCount = 0;
  let callCount = 0;
  let textBytes = 0;
  let callPathBytes = 0;
  const withinBounds = (): boolean => importCount + callCount <= EDGES_MAX && textBytes <= ARTIFACT_BYTES_MAX;

  visitImports(outline, (file, use) => {
    importCount++;
    textBytes += importTextLength(
      quotedBytes(outline, file, outline.moduleName(file), use),
      outline.utf8Length[outline.usePath(use)]!,
      use - outline.useBase[file]!,
    );
  });
  if (withinBounds()) {
    visitImportedCalls(outline, ({ file, function: caller, site, use, pathBytes, ordinal }) => {
      const id = outline.functionId(caller);
      callCount++;
      callPathBytes += pathBytes;
      textBytes += callTextLength(
        site,
        quotedBytes(outline, file, id, use),
        pathBytes,
        ordinal,
        outline.utf8Length[id]!,
        outline.quotedLength[id]!,
      );
      return withinBounds();
    });
  }
  if (importCount + callCount > EDGES_MAX) return refuse("SPX-G171", "too many cross-file edges");
  if (textBytes > ARTIFACT_BYTES_MAX) return refuse("SPX-G171", "project graph is too long");
  return success({ importCount, callCount, textBytes, callPathBytes });
}

/** Writes down every edge that was measured, and the AST paths of the calls into `arena`. */
export function collectEdges(outline: Outline, measure: EdgeMeasure, arena: SymbolArena): EdgeDraft {
  const count = measure.importCount + measure.callCount;
  const draft = {
    count,
    source: new Uint32Array(count),
    target: new Uint32Array(count),
    path: new Uint32Array(count),
    alias: new Uint32Array(count),
    ordinal: new Uint32Array(count),
    kind: new Uint8Array(count),
    site: new Uint8Array(count),
  };
  let edge = 0;
  visitImports(outline, (file, use) => {
    draft.source[edge] = file;
    draft.target[edge] = outline.importedFunction[use]!;
    draft.path[edge] = outline.usePath(use);
    draft.alias[edge] = outline.alias(use);
    draft.ordinal[edge] = use - outline.useBase[file]!;
    draft.kind[edge] = EdgeKind.FunctionImport;
    draft.site[edge] = EdgeSite.Module;
    edge++;
  });
  visitImportedCalls(outline, (call) => {
    draft.source[edge] = outline.moduleCount + call.function;
    draft.target[edge] = outline.importedFunction[call.use]!;
    draft.path[edge] = writePath(arena, outline, call);
    draft.alias[edge] = outline.alias(call.use);
    draft.ordinal[edge] = call.ordinal;
    draft.kind[edge] = EdgeKind.Call;
    draft.site[edge] = call.site;
    edge++;
    return true;
  });
  return draft;
}

/** The lengths of caller path, caller, target path, target and alias together, each quoted. */
function quotedBytes(outline: Outline, file: number, caller: number, use: number): number {
  const { quotedLength } = outline;
  const target = outline.importedFunction[use]!;
  return (
    quotedLength[outline.modulePath(file)]! +
    quotedLength[caller]! +
    quotedLength[outline.modulePath(outline.fileOfFunction[target]!)]! +
    quotedLength[outline.functionId(target)]! +
    quotedLength[outline.alias(use)]!
  );
}

/** Every `use function`. A `use type` has no edge: such a project is refused by a later phase (language.md 6.1). */
function visitImports(outline: Outline, visit: (file: number, use: number) => void): void {
  for (let file = 0; file < outline.moduleCount; file++) {
    for (let use = outline.useBase[file]!; use < outline.useBase[file + 1]!; use++) {
      if (outline.importedFunction[use] !== NONE) visit(file, use);
    }
  }
}

/** Every call of an import alias, until `visit` returns false. */
function visitImportedCalls(outline: Outline, visit: (call: ImportedCall) => boolean): void {
  const { files } = outline.project;
  const depths = new PathDepths();
  for (let file = 0; file < files.length; file++) {
    const { functions, uses, tree } = files[file]!;
    if (uses.length === 0) continue;
    const walk = new Walk(tree);
    for (const [index, syntax] of functions.entries()) {
      const call: ImportedCall = {
        file,
        function: outline.functionBase[file]! + index,
        site: EdgeSite.Body,
        root: "",
        use: 0,
        ordinal: 0,
        pathBytes: 0,
        walk,
      };
      for (const { site, root, node } of rootsOf(syntax)) {
        call.site = site;
        call.root = root;
        if (!visitRoot(outline, call, node, depths, visit)) return;
      }
    }
  }
}

function rootsOf(syntax: FunctionSyntax): { site: EdgeSite; root: string; node: number }[] {
  return [
    ...syntax.requires.map((node, index) => ({ site: EdgeSite.Requires, root: `requires.${index}`, node })),
    { site: EdgeSite.Body, root: "body", node: syntax.body },
    ...syntax.ensures.map((node, index) => ({ site: EdgeSite.Ensures, root: `ensures.${index}`, node })),
  ];
}

/** The byte length of the AST path of each open node of a walk, by depth. */
class PathDepths {
  private bytes = new Uint32Array(64);

  at(depth: number): number {
    return this.bytes[depth]!;
  }

  set(depth: number, length: number): void {
    if (depth >= this.bytes.length) {
      const larger = new Uint32Array(this.bytes.length * 2);
      larger.set(this.bytes);
      this.bytes = larger;
    }
    this.bytes[depth] = length;
  }
}

/** The calls of one clause or body in pre-order. Returns false when `visit` did. */
function visitRoot(
  outline: Outline,
  call: ImportedCall,
  root: number,
  depths: PathDepths,
  visit: (call: ImportedCall) => boolean,
): boolean {
  const { walk, file } = call;
  const { tree, functions } = outline.project.files[file]!;
  const { target } = outline.project.modules[file]!;
  const { nodeKind, childStart } = tree;
  let calls = 0;
  walk.start(root);
  for (let step = walk.step(); step !== Visit.Done; step = walk.step()) {
    if (step !== Visit.Enter) continue;
    const { node, depth } = walk;
    const isCall = nodeKind[node] === NodeKind.Call;
    // Nobody asks for the path of a leaf that is not a call.
    if (!isCall && childStart[node] === childStart[node + 1]) continue;
    const pathBytes =
      depth === 0
        ? call.root.length
        : depths.at(depth - 1) +
          pathSegment(tree, walk.ancestor(depth - 1), walk.ancestorChildIndex(depth - 1)).length;
    depths.set(depth, pathBytes);
    if (!isCall) continue;
    const ordinal = calls++;
    const use = target[node]! - functions.length;
    if (use < 0) continue;
    call.use = outline.useBase[file]! + use;
    call.ordinal = ordinal;
    call.pathBytes = pathBytes;
    if (!visit(call)) return false;
  }
  return true;
}

/** Appends the AST path of the call at which the walk stands, and returns its symbol. */
function writePath(arena: SymbolArena, outline: Outline, { walk, file, root }: ImportedCall): number {
  const { tree } = outline.project.files[file]!;
  arena.ascii(root);
  for (let depth = 0; depth < walk.depth; depth++) {
    arena.ascii(pathSegment(tree, walk.ancestor(depth), walk.ancestorChildIndex(depth)));
  }
  return arena.end();
}
