/** An element's value while it is edited: the shapes of contract/configuration-values.ts, with whatever else it has. */
export type Value = Readonly<Record<string, unknown>>;

/** The value with a field set; undefined, an empty text and an empty list remove the field. */
export function withField(value: Value, name: string, next: unknown): Value {
  const { [name]: _before, ...rest } = value;
  return isNothing(next) ? rest : name in value ? { ...value, [name]: next } : { ...rest, [name]: next };
}

/** A part of an element, or undefined where no field of it is left: such a part is left out. */
export function orNothing(part: Value): Value | undefined {
  return Object.keys(part).length === 0 ? undefined : part;
}

function isNothing(next: unknown): boolean {
  return next === undefined || next === "" || (Array.isArray(next) && next.length === 0);
}

/** A field's text for its input; counts and flags are written as text. */
export function textOf(value: Value, name: string): string {
  const found = value[name];
  return typeof found === "string"
    ? found
    : typeof found === "number" || typeof found === "boolean"
      ? String(found)
      : "";
}

/** A typed count: a number where it is one, else the text, which the gateway refuses with a sentence. */
export function countOf(typed: string): number | string | undefined {
  const text = typed.trim();
  return text === "" ? undefined : /^\d{1,15}$/.test(text) ? Number(text) : text;
}

export function trimmed(typed: string): string {
  return typed.trim();
}

export function objectOf(found: unknown): Value {
  return typeof found === "object" && found !== null && !Array.isArray(found) ? (found as Value) : {};
}

/** One text or several, as a list. */
export function textsOf(found: unknown): string[] {
  if (typeof found === "string") return [found];
  return Array.isArray(found) ? found.filter((item): item is string => typeof item === "string") : [];
}

/** A price, or several with their dates, as a list. */
export function pricesOf(found: unknown): Value[] {
  if (Array.isArray(found)) return found.map(objectOf);
  return typeof found === "object" && found !== null ? [found as Value] : [];
}

/** The prices in an element's form: a single price by itself, several as a list; undefined for none. */
export function writtenPrices(prices: readonly Value[]): unknown {
  return prices.length > 1 ? prices : prices[0];
}

/** A further price to begin with: the last one's figures, of which the change leaves what it does not name, from the first of next month in UTC. */
export function laterPrice(prices: readonly Value[], now_ms: number): Value {
  const last = prices.at(-1) ?? {};
  const after_ms = Math.max(now_ms, Date.parse(textOf(last, "from")) || 0);
  const after = new Date(after_ms);
  const first = new Date(Date.UTC(after.getUTCFullYear(), after.getUTCMonth() + 1, 1));
  return { ...last, from: first.toISOString().slice(0, "2026-12-01".length) };
}

/** A difference of one leaf, or of everything that is new or gone. */
interface Difference {
  readonly path: string;
  readonly before: unknown;
  readonly after: unknown;
}

/**
 * Differences leaf by leaf: objects and lists of objects are taken apart, and leaves that stay as they are left out. Of two lists, what
 * begins on the same day is compared (prices with their dates), else what stands at the same place; one price beside several is a list of one.
 */
export function leavesOf({ path, before, after }: Difference): Difference[] {
  const is_list = isListOfObjects(before) || isListOfObjects(after);
  const [was, is] = [membersOf(before, is_list), membersOf(after, is_list)];
  const is_one_line = (was === null && !isNone(before)) || (is === null && !isNone(after));
  if (is_one_line || (was === null && is === null)) return [{ path, before, after }];
  const names = new Set([...(was?.keys() ?? []), ...(is?.keys() ?? [])]);
  return [...names].flatMap((name) => {
    const leaf = { before: was?.get(name) ?? null, after: is?.get(name) ?? null };
    if (JSON.stringify(leaf.before) === JSON.stringify(leaf.after)) return [];
    return leavesOf({ path: name.startsWith("[") || path === "" ? `${path}${name}` : `${path}.${name}`, ...leaf });
  });
}

function isNone(value: unknown): boolean {
  return value === null || value === undefined;
}

function isListOfObjects(value: unknown): boolean {
  return Array.isArray(value) && value.some((item) => typeof item === "object" && item !== null);
}

/** The members of an object, or of a list of objects, by name; null for everything that is shown in one line. */
function membersOf(value: unknown, is_list: boolean): ReadonlyMap<string, unknown> | null {
  if (typeof value !== "object" || value === null) return null;
  if (Array.isArray(value) && !isListOfObjects(value)) return null;
  if (!is_list) return new Map(Object.entries(value));
  const items: readonly unknown[] = Array.isArray(value) ? value : [value];
  return new Map(items.map((item, index) => dated(item) ?? [`[${index}]`, item]));
}

/** A price with its date: known by the date, which its name says. */
function dated(item: unknown): [string, unknown] | null {
  const { from, ...rest } = objectOf(item);
  return typeof from === "string" ? [`[from ${from}]`, rest] : null;
}

/** A leaf of a value in words: `none`, `yes`, or JSON for objects and lists. */
export function leafWords(leaf: unknown): string {
  if (leaf === null || leaf === undefined) return "none";
  if (typeof leaf === "boolean") return leaf ? "yes" : "no";
  if (typeof leaf === "string" || typeof leaf === "number") return String(leaf);
  if (Array.isArray(leaf) && !isListOfObjects(leaf)) return leaf.join(", ");
  return JSON.stringify(leaf);
}
