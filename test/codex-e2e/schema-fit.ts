/** Whether a definition of ours fits one of the program's JSON schemas, member by member (RC4). */

export interface JsonSchema {
  readonly $ref?: string;
  readonly type?: string | readonly string[];
  readonly enum?: readonly unknown[];
  readonly const?: unknown;
  readonly properties?: Readonly<Record<string, JsonSchema | boolean>>;
  readonly required?: readonly string[];
  readonly items?: JsonSchema | boolean;
  readonly default?: unknown;
  readonly anyOf?: readonly JsonSchema[];
  readonly oneOf?: readonly JsonSchema[];
  readonly allOf?: readonly JsonSchema[];
}

export type Definitions = Readonly<Record<string, JsonSchema>>;

/** A schema, and where its references lead. */
export interface Located {
  readonly schema: JsonSchema | boolean;
  readonly definitions: Definitions;
}

/** Sent: all that we may say is understood. Received: all that the program may say in what we read is understood. */
export type Direction = "sent" | "received";

/** What does not fit, as words with a path; nothing if it fits. */
export function misfits(ours: JsonSchema, theirs: Located, direction: Direction, path = ""): string[] {
  const own: Located = { schema: ours, definitions: {} };
  const [inner, outer] = direction === "sent" ? [own, theirs] : [theirs, own];
  return alternatives(inner).flatMap((atom) => {
    const tried = alternatives(outer).map((candidate) => accepts(candidate, atom, direction, path));
    if (tried.some((found) => found.length === 0)) return [];
    // The closest candidate says best what is wrong.
    return (
      tried.sort((a, b) => a.length - b.length)[0] ?? [`${path || "it"}: nothing accepts ${nameOf(atom)}`]
    );
  });
}

/** A schema without references, unions, lists of types and lists of values. */
interface Atom extends Located {
  readonly schema: JsonSchema;
}

function alternatives({ schema, definitions }: Located): Atom[] {
  if (typeof schema === "boolean") return [{ schema: {}, definitions }];
  if (schema.$ref !== undefined) {
    const target = definitions[schema.$ref.split("/").at(-1) ?? ""];
    if (target === undefined) throw new Error(`no definition for ${schema.$ref}`);
    return alternatives({ schema: target, definitions });
  }
  const union = schema.anyOf ?? schema.oneOf ?? (schema.allOf?.length === 1 ? schema.allOf : undefined);
  if (union !== undefined) return union.flatMap((one) => alternatives({ schema: one, definitions }));
  const { enum: values, ...rest } = schema;
  if (values !== undefined)
    return values.map((value) => ({ schema: { ...rest, const: value }, definitions }));
  if (Array.isArray(schema.type))
    return schema.type.map((type) => ({ schema: { ...schema, type }, definitions }));
  return [{ schema, definitions }];
}

function accepts(outer: Atom, inner: Atom, direction: Direction, path: string): string[] {
  const { type, const: value } = outer.schema;
  const misfit = [`${path || "it"}: ${nameOf(inner)} where ${nameOf(outer)} is expected`];
  if (value !== undefined) return inner.schema.const === value ? [] : misfit;
  if (type === undefined) return [];
  if (type !== inner.schema.type && !(type === "number" && inner.schema.type === "integer")) return misfit;
  if (type === "array") return itemMisfits(outer, inner, direction, path);
  return type === "object" ? memberMisfits(outer, inner, direction, path) : [];
}

function itemMisfits(outer: Atom, inner: Atom, direction: Direction, path: string): string[] {
  const [ours, theirs] = direction === "sent" ? [inner, outer] : [outer, inner];
  const { items } = ours.schema;
  if (typeof items !== "object" || theirs.schema.items === undefined) return [];
  return misfits(items, { ...theirs, schema: theirs.schema.items }, direction, `${path}[]`);
}

function memberMisfits(outer: Atom, inner: Atom, direction: Direction, path: string): string[] {
  const [ours, theirs] = direction === "sent" ? [inner, outer] : [outer, inner];
  const found: string[] = [];
  for (const [name, member] of Object.entries(ours.schema.properties ?? {})) {
    const at = path === "" ? name : `${path}.${name}`;
    const other = theirs.schema.properties?.[name];
    if (other === undefined) found.push(`${at}: no such field`);
    else if (typeof member === "object")
      found.push(...misfits(member, { ...theirs, schema: other }, direction, at));
  }
  for (const name of outer.schema.required ?? []) {
    const member = inner.schema.properties?.[name];
    const hasDefault = typeof member === "object" && member.default !== undefined;
    const isGiven = inner.schema.required?.includes(name) || (direction === "received" && hasDefault);
    if (!isGiven)
      found.push(`${path === "" ? name : `${path}.${name}`}: required by one side and not by the other`);
  }
  return found;
}

function nameOf({ schema }: Atom): string {
  if (schema.const !== undefined) return JSON.stringify(schema.const);
  return schema.type === undefined ? "anything" : String(schema.type);
}
