import { checkBans } from "./ban-rules.ts";
import { readImportGraph } from "./import-graph.ts";
import { checkImports } from "./import-rules.ts";
import { checkSizes } from "./size-rules.ts";
import { readSourceFiles } from "./source-files.ts";
import { checkText } from "./text-rules.ts";
import type { Violation } from "./violation.ts";

/** Holds a project's folder to the house rules. `explanation` is what `tsc --explainFiles` printed for it. */
export async function checkHouse(root: string, explanation: string): Promise<Violation[]> {
  const files = await readSourceFiles(root);
  const imports = readImportGraph(explanation);
  // A compiler that explains itself in other words would make every import look allowed.
  const silent: Violation[] =
    imports.length > 0 ? [] : [{ path: "tsconfig.json", line: null, message: "no import was found: was tsc updated?" }];
  return [...silent, ...checkImports(imports), ...checkBans(files), ...checkText(files), ...checkSizes(files)];
}
