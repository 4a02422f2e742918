import { readdirSync } from "node:fs";
import { join } from "node:path";

const FIXTURES = join(import.meta.dir, "../../fixtures");

/** The recorded files of all protocols, or of one, whose names end like this, sorted. */
export function fixtureFiles(ending: string, protocol = ""): string[] {
  return readdirSync(join(FIXTURES, protocol), { recursive: true, encoding: "utf8" })
    .filter((path) => path.endsWith(ending))
    .sort()
    .map((path) => join(FIXTURES, protocol, path));
}
