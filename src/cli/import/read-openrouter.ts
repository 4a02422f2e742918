import { type ForeignFile, requireList } from "./foreign-file.ts";
import type { Imported, ImportedKey, Note } from "./imported.ts";

const WINDOWS: Readonly<Record<string, string>> = { daily: "day", weekly: "week", monthly: "month" };

/** Reads OpenRouter's list of keys (`GET /api/v1/keys`, `data`): their names and limits. Models keep their ids under the vendor `openrouter`. */
export function readOpenRouterKeys(file: ForeignFile): Imported {
  const notes: Note[] = [];
  const listed = file.root.get("data")?.elements ?? file.root.elements;
  requireList(listed, "keys: it should be what OpenRouter's GET /api/v1/keys answers");
  const keys = listed.flatMap((part): ImportedKey[] => {
    const name = part.get("name")?.text() ?? part.get("label")?.text() ?? "imported";
    if (part.get("disabled")?.text() === "true") {
      notes.push({ line: part.line, text: `the key ${name}: it is disabled` });
      return [];
    }
    const limit = part.get("limit")?.text() ?? null;
    const reset = part.get("limit_reset")?.text() ?? null;
    const window = reset === null ? null : (WINDOWS[reset] ?? null);
    const expires = part.get("expires_at")?.text() ?? null;
    const options = [
      `--name '${name.replaceAll("'", `'\\''`)}'`,
      ...(expires === null ? [] : [`--expires ${expires}`]),
    ];
    if (limit !== null && window !== null) options.push(`--budget ${limit}/${window}`);
    else if (limit !== null) {
      const text = `the key ${name}: its limit of ${limit} that never resets; give its account so much credit`;
      notes.push({ line: part.line, text });
    }
    return [{ name, options }];
  });
  return { groups: [], aliases: new Map(), keys, vendors: ["openrouter"], notes };
}
