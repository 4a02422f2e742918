import { join } from "node:path";

/**
 * Runs one of the gateway's own processes where the first word names its module, as the supervisor does (src/main/workers/child.ts). Returns
 * whether it was one.
 */
export async function runOwnProcess(word: string | undefined): Promise<boolean> {
  if (word === join(import.meta.dir, "worker-process.ts")) await import("./worker-process.ts");
  else if (word === join(import.meta.dir, "ledger-process.ts")) await import("./ledger-process.ts");
  else return false;
  return true;
}
