import { join } from "node:path";

const ROOT = join(import.meta.dir, "..");

/** Whether a package can be imported here: development dependencies are missing where only the gateway is installed. */
export function isInstalled(name: string): boolean {
  try {
    Bun.resolveSync(name, ROOT);
    return true;
  } catch {
    return false;
  }
}
