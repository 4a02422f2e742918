import { isObject, type Json } from "../protocols/read.ts";

/**
 * The texts that a request constrains its output to: vLLM's `structured_outputs.choice` (formerly `guided_choice`), a
 * grammar of llama.cpp whose root is alternatives of quoted texts, or a `regex` of SGLang that is alternatives. Null where
 * there is none.
 */
export function readChoices(body: Json): readonly string[] | null {
  const choice = isObject(body.structured_outputs) ? body.structured_outputs.choice : body.guided_choice;
  if (Array.isArray(choice)) return choice.filter((text) => typeof text === "string");
  if (typeof body.regex === "string") return alternatives(body.regex);
  if (typeof body.grammar !== "string") return null;
  const [, root] = /(?:^|\n)\s*root\s*::=\s*([\s\S]*?)(?:\n\s*[\w-]+\s*::=|$)/.exec(body.grammar) ?? [];
  const quoted = root?.match(/"(?:[^"\\]|\\.)*"/g) ?? [];
  return quoted.length > 0 ? quoted.map(unquoted) : null;
}

/** The texts of `(A|B)`, `^(?:A|B)$` or `[AB]`. */
function alternatives(regex: string): string[] {
  const [, inner] = /^\^?\(?(?:\?:)?([\s\S]*?)\)?\$?$/.exec(regex) ?? [];
  const [, each] = /^\[([^\]^-]+)\]$/.exec(inner ?? "") ?? [];
  return each !== undefined ? [...each] : (inner ?? "").split("|").map((text) => text.replace(/\\(.)/g, "$1"));
}

function unquoted(text: string): string {
  return text.slice(1, -1).replace(/\\(.)/g, "$1");
}
