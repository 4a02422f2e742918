import { isObject, type JsonRecord } from "../../core/json.ts";
import { localTarget } from "../shared/json-pointer.ts";

/** A schema for Gemini, and the names of what was lost on the way. */
export interface FittedSchema<Schema> {
  readonly schema: Schema;
  readonly lost: readonly string[];
}

/**
 * A JSON schema as Gemini reads it (docs/rulings.md 197): lists of values of texts and numbers only, each reference alone
 * in its place and to a definition of the root, and no definition that requires itself. A definition that a reference
 * finds elsewhere moves to the root; nothing is written twice but a root that refers to itself. A reference to what is not
 * there becomes a schema of anything, and is lost. The given schema where nothing has to change.
 */
export function fitSchema<Given>(schema: Given): FittedSchema<Given | JsonRecord> {
  if (!isObject(schema)) return { schema, lost: [] };
  const fitting = new SchemaFitting(schema);
  const fitted = fitting.root();
  return { schema: Bun.deepEquals(fitted, schema, true) ? schema : fitted, lost: fitting.lost ? ["$ref"] : [] };
}

class SchemaFitting {
  lost = false;
  readonly #root: JsonRecord;
  readonly #definitions: ReadonlyMap<unknown, Definition>;
  readonly #targets: ReadonlyMap<JsonRecord, unknown>;
  readonly #cycles: ReadonlyMap<unknown, number>;
  /** The definition that is being written; the root itself at first. */
  #owner: unknown = null;
  /** How many references to the owner's own cycle were written. */
  #own_cycle = 0;

  constructor(root: JsonRecord) {
    this.#root = root;
    const { definitions, targets } = definitionsOf(root);
    this.#definitions = definitions;
    this.#targets = targets;
    this.#cycles = cyclesOf(definitions, targets);
  }

  root(): JsonRecord {
    const fitted = this.#body(this.#root);
    const definitions: [string, unknown][] = [];
    for (const [target, { name }] of this.#definitions) {
      this.#owner = target;
      definitions.push([name, isObject(target) ? this.#body(target) : target]);
    }
    return definitions.length === 0 ? fitted : { ...fitted, $defs: Object.fromEntries(definitions) };
  }

  #fit(node: unknown): unknown {
    if (!isObject(node)) return node;
    return this.#definitions.has(node) ? this.#reference(node) : this.#body(node);
  }

  #reference(target: unknown): JsonRecord {
    const cycle = this.#cycles.get(target);
    if (cycle !== undefined && cycle === this.#cycles.get(this.#owner)) this.#own_cycle += 1;
    return { $ref: `#/$defs/${this.#definitions.get(target)?.name}` };
  }

  #body(node: JsonRecord): JsonRecord {
    const { $ref, $defs: _, definitions: __, ...rest } = node;
    const fitted = fitValues(this.#members(rest));
    if (typeof $ref !== "string") return $ref === undefined ? fitted : { ...fitted, $ref };
    if (!this.#targets.has(node)) {
      this.lost = true;
      return fitted;
    }
    const reference = this.#reference(this.#targets.get(node));
    if (Object.keys(fitted).every((keyword) => keyword.startsWith("$"))) return { ...fitted, ...reference };
    return "anyOf" in fitted ? { ...fitted, allOf: [reference] } : { ...fitted, anyOf: [reference] };
  }

  #members(node: JsonRecord): JsonRecord {
    const required = new Set(Array.isArray(node.required) ? node.required : []);
    const endless: string[] = [];
    const fitted = Object.entries(node).map(([keyword, value]) => {
      if (keyword !== "properties" || !isObject(value)) return [keyword, this.#keyword(keyword, value)] as const;
      const members = Object.entries(value).map(([name, member]) => {
        const before = this.#own_cycle;
        const schema = this.#fit(member);
        if (this.#own_cycle > before && required.delete(name)) endless.push(name);
        return [name, schema] as const;
      });
      return [keyword, Object.fromEntries(members)] as const;
    });
    const schema = Object.fromEntries(fitted);
    if (endless.length === 0) return schema;
    const { required: _, description, ...rest } = schema;
    const told = `Required: ${endless.join(", ")}.`;
    return {
      ...rest,
      description: typeof description === "string" && description !== "" ? `${description} ${told}` : told,
      ...(required.size > 0 && { required: [...required] }),
    };
  }

  #keyword(keyword: string, value: unknown): unknown {
    if (Array.isArray(value))
      return ONE.has(keyword) || LISTS.has(keyword) ? value.map((each) => this.#fit(each)) : value;
    if (ONE.has(keyword)) return this.#fit(value);
    if (!MAPS.has(keyword) || !isObject(value)) return value;
    return Object.fromEntries(Object.entries(value).map(([name, each]) => [name, this.#fit(each)]));
  }
}

/**
 * A schema without `const`, and with `enum` for texts and numbers only, which is what Gemini takes. Other values become
 * types, and a value that no type says is told in the description.
 */
function fitValues(schema: JsonRecord): JsonRecord {
  const values: unknown = "const" in schema ? [schema.const] : schema.enum;
  if (!Array.isArray(values)) return schema;
  const { const: _, enum: __, ...rest } = schema;
  const plain = values.filter(isPlain);
  if (plain.length === values.length) return { ...rest, enum: values };
  const forms = [...(plain.length > 0 ? [plainForm(plain)] : []), ...typedForms(values.filter((one) => !isPlain(one)))];
  const [only, ...others] = forms;
  if (only !== undefined && others.length === 0) return { ...rest, ...only, ...described(rest, only) };
  const { type: ___, ...untyped } = rest;
  if (!("anyOf" in untyped)) return { ...untyped, anyOf: forms };
  return { ...untyped, ...described(untyped, { description: `One of ${JSON.stringify(values)}.` }) };
}

/** Whether a value is a text or a number. A number that no double can hold is a frozen object with its digits. */
function isPlain(value: unknown): boolean {
  return typeof value === "string" || typeof value === "number" || (isObject(value) && Object.isFrozen(value));
}

function plainForm(values: readonly unknown[]): JsonRecord {
  const texts = values.filter((value) => typeof value === "string").length;
  const type = texts === values.length ? { type: "string" } : texts === 0 ? { type: "number" } : {};
  return { ...type, enum: values };
}

function typedForms(values: readonly unknown[]): JsonRecord[] {
  const forms: JsonRecord[] = [];
  const flags = new Set(values.filter((value) => typeof value === "boolean"));
  if (flags.size > 0) forms.push(flags.size > 1 ? { type: "boolean" } : exactly("boolean", [...flags][0]));
  if (values.includes(null)) forms.push({ type: "null" });
  for (const value of values) {
    if (typeof value === "object" && value !== null)
      forms.push(exactly(Array.isArray(value) ? "array" : "object", value));
  }
  return forms;
}

function exactly(type: string, value: unknown): JsonRecord {
  return { type, description: `Exactly ${JSON.stringify(value)}.` };
}

function described({ description: said }: JsonRecord, { description: more }: JsonRecord): JsonRecord {
  if (typeof more !== "string") return {};
  return { description: typeof said === "string" && said !== "" ? `${said} ${more}` : more };
}

/** Keywords whose value is a schema, a list of schemas, or a map of them. */
const ONE: ReadonlySet<string> = new Set([
  ...["items", "additionalProperties", "not", "contains", "propertyNames", "if", "then", "else"],
]);
const LISTS: ReadonlySet<string> = new Set(["anyOf", "oneOf", "allOf", "prefixItems"]);
const MAPS: ReadonlySet<string> = new Set(["properties", "patternProperties", "dependentSchemas"]);

/** The schemas right inside a schema, without its definitions. */
function* schemasIn(node: JsonRecord): Generator<unknown> {
  for (const [keyword, value] of Object.entries(node)) {
    if (ONE.has(keyword) && !Array.isArray(value)) yield value;
    else if ((ONE.has(keyword) || LISTS.has(keyword)) && Array.isArray(value)) yield* value;
    else if (MAPS.has(keyword) && typeof value === "object" && value !== null) yield* Object.values(value);
  }
}

/** A schema that references name, and its name among the definitions of the root. */
interface Definition {
  readonly name: string;
}

/** The definitions that a schema refers to. */
interface Definitions {
  /** By the schema itself. */
  readonly definitions: ReadonlyMap<unknown, Definition>;
  /** By the schema that holds the reference; absent for references to what is not there. */
  readonly targets: ReadonlyMap<JsonRecord, unknown>;
}

const PLAIN_NAME = /^[A-Za-z_][\w.-]*$/;

/** Follows each reference once. A target under `$defs` keeps its name; others get a new one. */
function definitionsOf(root: JsonRecord): Definitions {
  const definitions = new Map<unknown, Definition>();
  const targets = new Map<JsonRecord, unknown>();
  const named = new Map<unknown, string>();
  for (const section of [root.definitions, root.$defs])
    for (const [name, schema] of isObject(section) ? Object.entries(section) : [])
      if (isObject(schema) && PLAIN_NAME.test(name)) named.set(schema, name);
  const taken = new Set<string>();
  const waiting: unknown[] = [root];
  const seen = new Set<unknown>(waiting);
  for (let node = waiting.pop(); node !== undefined; node = waiting.pop()) {
    if (!isObject(node)) continue;
    const found = [...schemasIn(node)];
    if (typeof node.$ref === "string") {
      const target = localTarget(root, node.$ref);
      if (isObject(target)) {
        targets.set(node, target);
        if (!definitions.has(target)) definitions.set(target, { name: freeName(named.get(target), taken) });
        found.push(target);
      }
    }
    for (const each of found) {
      if (!isObject(each) || seen.has(each)) continue;
      seen.add(each);
      waiting.push(each);
    }
  }
  return { definitions, targets };
}

function freeName(wanted: string | undefined, taken: Set<string>): string {
  let name = wanted ?? `definition_${taken.size + 1}`;
  while (taken.has(name)) name += "_";
  taken.add(name);
  return name;
}

/**
 * The number of the cycle that each definition is in; absent for those in none. Definitions of one cycle lead to each
 * other. Without recursion: a chain of definitions may be as long as the request (Tarjan's algorithm).
 */
function cyclesOf(
  definitions: ReadonlyMap<unknown, Definition>,
  targets: ReadonlyMap<JsonRecord, unknown>,
): ReadonlyMap<unknown, number> {
  const cycles = new Map<unknown, number>();
  const order = new Map<unknown, number>();
  const lowest = new Map<unknown, number>();
  const open: unknown[] = [];
  const is_open = new Set<unknown>();
  const edges = (from: unknown) => referencesIn(from, definitions, targets);
  for (const start of definitions.keys()) {
    if (order.has(start)) continue;
    const path = [enter(start)];
    for (let step = path.at(-1); step !== undefined; step = path.at(-1)) {
      const next = step.edges[step.at];
      step.at += 1;
      if (next === undefined) {
        path.pop();
        leave(step.node, step.edges);
        const from = path.at(-1);
        if (from !== undefined) lower(from.node, lowest.get(step.node));
      } else if (!order.has(next)) path.push(enter(next));
      else if (is_open.has(next)) lower(step.node, order.get(next));
    }
  }
  return cycles;

  function enter(node: unknown) {
    order.set(node, order.size);
    lowest.set(node, order.size - 1);
    open.push(node);
    is_open.add(node);
    return { node, edges: edges(node), at: 0 };
  }

  function lower(node: unknown, to = Number.POSITIVE_INFINITY): void {
    lowest.set(node, Math.min(lowest.get(node) ?? to, to));
  }

  function leave(node: unknown, its_edges: readonly unknown[]): void {
    if (lowest.get(node) !== order.get(node)) return;
    const members = open.splice(open.lastIndexOf(node));
    for (const member of members) {
      is_open.delete(member);
      if (members.length > 1 || its_edges.includes(node)) cycles.set(member, order.get(node) ?? 0);
    }
  }
}

/** The definitions that one definition refers to, or holds. */
function referencesIn(
  from: unknown,
  definitions: ReadonlyMap<unknown, Definition>,
  targets: ReadonlyMap<JsonRecord, unknown>,
): readonly unknown[] {
  const found = new Set<unknown>();
  const waiting: unknown[] = [from];
  for (let node = waiting.pop(); node !== undefined; node = waiting.pop()) {
    if (!isObject(node)) continue;
    if (node !== from && definitions.has(node)) {
      found.add(node);
      continue;
    }
    if (targets.has(node)) found.add(targets.get(node));
    for (const each of schemasIn(node)) waiting.push(each);
  }
  return [...found];
}
