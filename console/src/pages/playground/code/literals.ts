/** A JSON value as source text of a language. */
export type Json = null | boolean | number | string | readonly Json[] | { readonly [name: string]: Json | undefined };

interface Grammar {
  readonly key: (name: string) => string;
  readonly word: (value: null | boolean) => string;
}

const TYPESCRIPT: Grammar = {
  key: (name) => (/^[A-Za-z_$][\w$]*$/.test(name) ? name : JSON.stringify(name)),
  word: String,
};

const PYTHON: Grammar = {
  key: (name) => JSON.stringify(name),
  word: (value) => (value === null ? "None" : value ? "True" : "False"),
};

export function typescriptLiteral(value: Json, indent = ""): string {
  return write(value, indent, TYPESCRIPT);
}

/** A value as a Python literal. Texts are written as in JSON, which Python reads in the same way. */
export function pythonLiteral(value: Json, indent = ""): string {
  return write(value, indent, PYTHON);
}

/** An object's members as the named arguments of a Python call, one on each line. */
export function pythonArguments(members: { readonly [name: string]: Json | undefined }, indent = "    "): string {
  return Object.entries(members)
    .filter((member): member is [string, Json] => member[1] !== undefined)
    .map(([name, value]) => `${indent}${name}=${pythonLiteral(value, indent)},\n`)
    .join("");
}

const LINE_WIDTH = 72;

function write(value: Json, indent: string, grammar: Grammar): string {
  if (value === null || typeof value === "boolean") return grammar.word(value);
  if (typeof value !== "object") return JSON.stringify(value);
  const inner = `${indent}${grammar === PYTHON ? "    " : "  "}`;
  const [open, close, parts] = isList(value)
    ? (["[", "]", value.map((item) => write(item, inner, grammar))] as const)
    : (["{", "}", members(value, inner, grammar)] as const);
  const line = parts.join(", ");
  if (parts.length === 0) return `${open}${close}`;
  if (line.length + indent.length <= LINE_WIDTH && !line.includes("\n")) {
    return open === "{" && grammar === TYPESCRIPT ? `{ ${line} }` : `${open}${line}${close}`;
  }
  return `${open}\n${parts.map((part) => `${inner}${part},\n`).join("")}${indent}${close}`;
}

function members(value: { readonly [name: string]: Json | undefined }, inner: string, grammar: Grammar): string[] {
  return Object.entries(value)
    .filter((member): member is [string, Json] => member[1] !== undefined)
    .map(([name, member]) => `${grammar.key(name)}: ${write(member, inner, grammar)}`);
}

function isList(value: object): value is readonly Json[] {
  return Array.isArray(value);
}
