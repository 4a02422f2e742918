import type { Environment } from "../../core/environment.ts";
import { report, type YamlPlace } from "./place.ts";

/** Matches a reference to an environment variable in a text: `${NAME}`. */
export const VARIABLE = /\$\{([A-Za-z_][A-Za-z0-9_]*)\}/g;

/** The variable that a text is, and nothing else; null for any other value. */
export function onlyVariable(text: unknown): string | null {
  return typeof text === "string" ? (/^\$\{([A-Za-z_][A-Za-z0-9_]*)\}$/.exec(text)?.[1] ?? null) : null;
}

/**
 * Replaces each `${NAME}` by its value. Names of variables that are not set, or set to an empty text, are listed in
 * `missing`.
 */
export function expandText(text: string, env: Environment): { text: string; missing: string[] } {
  const missing: string[] = [];
  const expanded = text.replace(VARIABLE, (_whole, name: string) => {
    const value = env[name];
    if (value === undefined || value === "") missing.push(name);
    return value ?? "";
  });
  return { text: expanded, missing };
}

/**
 * A row's address with the environment's variables in it, and the variables that are not set. Where a value makes no address
 * of it, such as `a b` in a host's name, the variable counts as one that is not set.
 */
export function addressIn(base_url: string, env: Environment): { text: string; missing: string[] } {
  const { text, missing } = expandText(base_url, env);
  if (missing.length > 0 || URL.canParse(text)) return { text, missing };
  return { text, missing: [...base_url.matchAll(VARIABLE)].map(([, name = ""]) => name) };
}

/** The text of a place with its variables replaced; null, with the problem reported, when that cannot be done. */
export function expandAt(place: YamlPlace, text: string): string | null {
  if (!text.includes("${")) return text;
  if (place.source.layer === "console") {
    const allowed =
      "a text without ${…}: variables are read for the configuration file alone, and credentials are set by themselves";
    return report(place, allowed, JSON.stringify(text.slice(0, 60)));
  }
  const malformed = /\$\{(?![A-Za-z_][A-Za-z0-9_]*\})[^}]*\}?/.exec(text);
  if (malformed !== null) {
    return report(place, "${NAME}, a name of letters, digits and underscores", JSON.stringify(malformed[0]));
  }
  const { text: expanded, missing } = expandText(text, place.source.env);
  for (const name of missing) {
    report(place, `a variable that is set: ${name}=…`, `\${${name}}, which is not set in the environment`);
  }
  return missing.length > 0 ? null : expanded;
}
