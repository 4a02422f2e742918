import { isObject } from "../../core/json.ts";

type Schema = Readonly<Record<string, unknown>>;

/**
 * Whether a schema is recursive, or refers to what is none of its definitions. Each definition is followed once, and
 * without recursion: a chain of definitions may be as long as the request.
 */
export function isRecursive(schema: Schema): boolean {
  const definitions = { ...sectionOf(schema, "$defs"), ...sectionOf(schema, "definitions") };
  const followed = new Set<string>();
  const within = new Set<string>();
  const path: Step[] = [stepInto(null, { ...schema, $defs: null, definitions: null })];
  for (let step = path.at(-1); step !== undefined; step = path.at(-1)) {
    const reference = step.references[step.next];
    step.next += 1;
    if (reference === undefined) {
      if (step.name !== null) within.delete(step.name);
      path.pop();
      continue;
    }
    if (within.has(reference) || !Object.hasOwn(definitions, reference)) return true;
    if (followed.has(reference)) continue;
    followed.add(reference);
    within.add(reference);
    path.push(stepInto(reference, definitions[reference]));
  }
  return false;
}

/** A definition on the way from the schema, and the next of its references to follow. */
interface Step {
  /** Null for the schema itself. */
  readonly name: string | null;
  readonly references: readonly string[];
  next: number;
}

function stepInto(name: string | null, node: unknown): Step {
  const references: string[] = [];
  collectReferences(node, references);
  return { name, references, next: 0 };
}

/** The definitions of a section by their references. */
function sectionOf(schema: Schema, section: string): Schema {
  const held = schema[section];
  if (!isObject(held)) return {};
  return Object.fromEntries(Object.entries(held).map(([name, definition]) => [`#/${section}/${name}`, definition]));
}

function collectReferences(node: unknown, into: string[]): void {
  if (Array.isArray(node)) {
    for (const item of node) collectReferences(item, into);
    return;
  }
  if (!isObject(node)) return;
  if (typeof node.$ref === "string") into.push(node.$ref);
  for (const value of Object.values(node)) collectReferences(value, into);
}
