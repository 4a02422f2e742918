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

const BUN = join(import.meta.dir, "../../bin/camino-bun");
/** Suites' own gateways that are inside that executable (camino-with-programs.ts), by their files. */
const INSIDE = /\/support\/gateways\/((?:eager|impatient|hurried|beating)-gateway)\.ts$/;

/** How a suite's own gateway is started: within the executable where it is inside, otherwise from its file, which takes four times as long. */
export function programCommand(path: string): string[] {
  const name = INSIDE.exec(path)?.[1];
  const command = caminoCommand();
  return name === undefined || command === LAUNCHER ? [BUN, path] : [command, name];
}

/** The compiler's settings of a run of all suites (scripts/suites.ts). Drills have none of them. */
const OF_THE_RUN = Object.entries(process.env).flatMap(([name, value]) =>
  /^BUN_JSC_(useFTLJIT|jitPolicyScale)$/.test(name) && value !== undefined ? [[name, value] as const] : [],
);

/**
 * The compiler's settings for the gateways and commands that such a run starts: none of them lives long enough to earn what the last two of its
 * compilers cost.
 */
export const COMPILES_LESS: Readonly<Record<string, string>> =
  OF_THE_RUN.length === 0 ? {} : { ...Object.fromEntries(OF_THE_RUN), BUN_JSC_useDFGJIT: "0" };
