import { isMap, isScalar, isSeq, type Node } from "yaml";
import type { ElementValue } from "../../core/catalog/configuration-elements.ts";
import { isObject } from "../../core/json.ts";
import { isEmpty, SECRET, type YamlPlace } from "../reading/place.ts";

/** An element's value between JSON and the nodes that the file's readers read. */

/** Deeper than any element that the readers accept. */
const DEEPEST = 12;
/** More text than any element needs. */
const LONGEST_VALUE = 64 * 1024;
/** With this many digits a number of JSON has the digits that were written. */
const EXACT_DIGITS = 15;

/** Keys whose values are counts, and keys whose values are flags, wherever they stand: all other values are texts. */
const COUNTS: ReadonlySet<string> = new Set([
  ...["context_length", "max_completion_tokens", "min", "max", "above_input_tokens"],
  ...["rpm", "tpm", "concurrent", "decision_calls"],
]);
const FLAGS: ReadonlySet<string> = new Set([
  ...["streaming", "tools", "json", "vision", "thinking", "toggle", "mid_system"],
  ...["forwards_safety_identifier", "retired", "required"],
]);

/** A value that cannot be an element, whatever its kind. */
export interface UnusableValue {
  readonly path: string;
  readonly found: string;
  readonly allowed: string;
}

class Unusable extends Error {
  readonly problem: UnusableValue;
  constructor(problem: UnusableValue) {
    super(problem.found);
    this.problem = problem;
  }
}

/** A value as it is stored: counts as numbers, flags as booleans, and everything else as text. */
export function canonicalValue(value: unknown): { readonly value: ElementValue } | UnusableValue {
  try {
    const made = canonical(value, { path: "", key: "", parent: "", depth: 0 });
    if (typeof made !== "string" && !isObject(made)) return { path: "", found: "a list", allowed: "a map, or a text" };
    const length = JSON.stringify(made).length;
    if (length <= LONGEST_VALUE) return { value: made };
    return { path: "", found: `${length} characters`, allowed: `an element of at most ${LONGEST_VALUE} characters` };
  } catch (thrown) {
    if (thrown instanceof Unusable) return thrown.problem;
    throw thrown;
  }
}

interface At {
  readonly path: string;
  readonly key: string;
  readonly parent: string;
  readonly depth: number;
}

function canonical(value: unknown, at: At): unknown {
  const { path, depth } = at;
  if (depth > DEEPEST) throw new Unusable({ path, found: "more levels", allowed: `at most ${DEEPEST} levels` });
  if (Array.isArray(value)) {
    return value.map((item, index) => canonical(item, { ...at, path: `${path}[${index}]`, depth: depth + 1 }));
  }
  if (isObject(value)) {
    const inside = (key: string) => ({
      path: path === "" ? key : `${path}.${key}`,
      key,
      parent: at.key,
      depth: depth + 1,
    });
    return Object.fromEntries(Object.entries(value).map(([key, member]) => [key, canonical(member, inside(key))]));
  }
  const text = textOf(value, path);
  if (text === MASKED)
    throw new Unusable({
      path,
      found: JSON.stringify(text),
      allowed: "a text, or nothing: what is not shown is not read back",
    });
  return canonicalScalar(text, at);
}

function textOf(value: unknown, path: string): string {
  if (typeof value === "string" || typeof value === "boolean") return String(value);
  // Left out without a word, a key that the reader does not know would pass: `{ input: 1,5 }` in YAML has the key 5 with nothing.
  if (value === null || value === undefined) {
    throw new Unusable({
      path,
      found: "nothing",
      allowed: "a value: a key of which nothing is to be said is left out",
    });
  }
  const text = String(value);
  if (Number.isSafeInteger(value) || text.replace(/[^\d]/g, "").length <= EXACT_DIGITS) return text;
  throw new Unusable({
    path,
    found: `the number ${text}`,
    allowed: `a decimal as text, such as "3.00", as a number of JSON is exact to ${EXACT_DIGITS} digits only`,
  });
}

/** A text as the type that its key has. A value that the reader would refuse stays a text. */
function canonicalScalar(text: string, { key, parent }: Pick<At, "key" | "parent">): string | number | boolean {
  if (parent === "headers") return text;
  if (COUNTS.has(key) && /^(0|[1-9]\d{0,14})$/.test(text)) return Number(text);
  if (FLAGS.has(key) && /^(true|True|TRUE)$/.test(text)) return true;
  if (FLAGS.has(key) && /^(false|False|FALSE)$/.test(text)) return false;
  return text;
}

/** The text in place of a secret in a file's element. */
export const MASKED = "(not shown)";
const SECRET_PART = /(^|\.)(aws\.(access_key_id|secret_access_key|session_token)|google_service_account|headers\..*)$/;
/** A text that names the place of a secret, and holds none. */
const ONLY_A_NAME = /^(Bearer )?\$\{[A-Za-z_][A-Za-z0-9_]*\}$/;

/** Whether the value at a path of an element or a section is a credential, or may be one. */
export function isSecretPath(path: string): boolean {
  return SECRET.test(path) || SECRET_PART.test(path);
}

/** The value that is written at a place of the file. `show` says what is shown of each text; secrets are masked unless it says otherwise. */
export function valueAt(place: YamlPlace, show: (text: string, path: string) => string = masked): unknown {
  return written(place.source, place.node, { path: "", key: "", parent: "", depth: 0 }, show);
}

export function masked(text: string, path: string): string {
  return isSecretPath(path) && !ONLY_A_NAME.test(text) ? MASKED : text;
}

function written(
  source: YamlPlace["source"],
  found: Node | null,
  at: At,
  show: (text: string, path: string) => string,
): unknown {
  const node = found === null ? null : source.resolve(found);
  if (node === null || isEmpty(node) || at.depth > DEEPEST) return null;
  if (isSeq(node)) {
    return node.items.map((item, index) =>
      written(source, item as Node | null, { ...at, path: `${at.path}[${index}]`, depth: at.depth + 1 }, show),
    );
  }
  if (!isMap(node)) return canonicalScalar(show(isScalar(node) ? String(node.value) : "", at.path), at);
  const members = node.items.flatMap(({ key, value }) => {
    const name = isScalar(key) ? String(key.value) : "";
    const path = at.path === "" ? name : `${at.path}.${name}`;
    const inside = written(
      source,
      value as Node | null,
      { path, key: name, parent: at.key, depth: at.depth + 1 },
      show,
    );
    return inside === null ? [] : [[name, inside] as const];
  });
  return Object.fromEntries(members);
}
