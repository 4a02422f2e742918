import type { ForeignPart } from "./foreign-file.ts";
import type { Note } from "./imported.ts";

/** The note of a setting that is left out. `reasons`: why, by the setting's name, where the file's own gateway means something by it. */
export function unreadSetting({ line, path }: ForeignPart, reasons: Readonly<Record<string, string>>): Note {
  const name =
    path
      .replace(/\[\d+\]$/, "")
      .split(".")
      .at(-1) ?? "";
  return { line, text: `${path || "the file"}: ${reasons[name] ?? "Camino has no such setting"}` };
}
