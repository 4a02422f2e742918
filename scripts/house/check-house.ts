import { checkBans } from "./ban-rules.ts";
import { checkFolders } from "./folder-rules.ts";
import { readImportGraph } from "./import-graph.ts";
import { checkImports } from "./import-rules.ts";
import { checkNames } from "./name-rules.ts";
import { checkReferences } from "./reference-rules.ts";
import { checkSizes } from "./size-rules.ts";
import { readSourceFiles } from "./source-files.ts";
import { checkText } from "./text-rules.ts";
import type { Violation } from "./violation.ts";
import { checkWords } from "./word-rules.ts";

/** Checks a project's folder against the house rules. `explanation` is the output of `tsc --explainFiles` for it. */
export async function checkHouse(root: string, explanation: string): Promise<Violation[]> {
  const files = await readSourceFiles(root);
  const imports = readImportGraph(explanation);
  // If the compiler's output changed its format, every import would seem allowed.
  const silent: Violation[] =
    imports.length > 0 ? [] : [{ path: "tsconfig.json", line: null, message: "no import was found: was tsc updated?" }];
  return [
    ...silent,
    ...checkImports(imports),
    ...checkFolders(imports),
    ...checkBans(files),
    ...checkText(files),
    ...checkWords(files),
    ...checkSizes(files),
    ...checkNames(files),
    ...checkReferences(files),
  ];
}
