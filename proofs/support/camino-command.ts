import { existsSync } from "node:fs";
import { join } from "node:path";

/** What a clone's user runs. */
export const LAUNCHER = join(import.meta.dir, "../../bin/camino");

/** The one executable file of a run of all suites (scripts/build-test-gateway.ts). */
const EXECUTABLE = process.env.TEST_CAMINO;

/** What suites run as `camino`: the one executable file where the runner has built it, otherwise the launcher, as drills do (docs/design/test-runs.md). */
export function caminoCommand(): string {
  return EXECUTABLE !== undefined && existsSync(EXECUTABLE) ? EXECUTABLE : LAUNCHER;
}
