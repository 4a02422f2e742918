/**
 * The graph of imports, as the compiler saw it. `tsc --explainFiles` lists for each file the imports that lead to it,
 * with type imports, re-exports and `import()`, so no parser of ours can disagree with the compiler (docs/adr/0008).
 */

export interface Import {
  /** Path of the importing file, relative to the project. */
  readonly from: string;
  /** Path of the imported file, relative to the project; a package's files are under `node_modules/`. */
  readonly to: string;
  /** The specifier as written in the import. */
  readonly specifier: string;
}

const IMPORTED = /^\s+Imported via (?:"([^"]+)"|'([^']+)') from file '([^']+)'/;

/** Reads the output of `tsc --explainFiles`. Imports between files of packages are left out. */
export function readImportGraph(explanation: string): Import[] {
  const imports: Import[] = [];
  let to = "";
  for (const line of explanation.split("\n")) {
    const reason = IMPORTED.exec(line);
    if (reason) {
      const from = reason[3] ?? "";
      if (!from.startsWith("node_modules/")) imports.push({ from, to, specifier: reason[1] ?? reason[2] ?? "" });
    } else if (line !== "" && !line.startsWith(" ")) {
      to = line.trim();
    }
  }
  return imports;
}
