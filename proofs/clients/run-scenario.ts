import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Scenario } from "./client.ts";
import type { Deployment } from "./deployment.ts";
import type { Installed } from "./install.ts";
import type { Outside } from "./outside.ts";
import type { VendorProtocol } from "./protocols.ts";
import type { ScenarioResult } from "./result.ts";
import { Session } from "./session.ts";

const TIMEOUT_MS = 120_000;

export interface ScenarioContext {
  readonly protocol: VendorProtocol;
  readonly installed: Installed;
  readonly deployment: Deployment;
  readonly outside: Outside;
  /** Keeps the folder in which the client worked, and prints its path. */
  readonly keep: boolean;
  /** Aborted when the whole run is to end: the scenario's programs are ended then. */
  readonly stopping: AbortSignal;
}

/** Runs one scenario of a client over one vendor protocol. Never rejects: an error becomes the result. */
export async function runScenario(scenario: Scenario, context: ScenarioContext): Promise<ScenarioResult> {
  const { protocol, outside, keep, stopping } = context;
  const except = scenario.except?.[protocol];
  if (except !== undefined) return { scenario: scenario.name, outcome: "impossible", why: except, checks: 0 };
  const folder = await mkdtemp(join(tmpdir(), "camino-client-"));
  outside.forget();
  const session = await Session.open({ ...context, folder, timeout_ms: scenario.timeout_ms ?? TIMEOUT_MS });
  const stop = (): void => void session.close();
  stopping.addEventListener("abort", stop);
  const objection = await objectionTo(scenario, session);
  stopping.removeEventListener("abort", stop);
  if (keep) console.log(`    kept: ${folder}`);
  else await rm(folder, { recursive: true, force: true });
  const asked = session.hostsAsked;
  return {
    scenario: scenario.name,
    outcome: objection === null ? "works" : "fails",
    why: objection ?? "",
    checks: session.checks.length,
    ...(asked.length === 0 ? {} : { asked }),
  };
}

/** What was wrong in the scenario; null where nothing was. */
async function objectionTo(scenario: Scenario, session: Session): Promise<string | null> {
  const objections: string[] = [];
  try {
    await scenario.run(session);
  } catch (error) {
    objections.push(error instanceof Error ? error.message : String(error));
  } finally {
    await session.close();
  }
  for (const { name, passed, detail } of session.checks) if (!passed) objections.push(`${name}: ${detail}`);
  return objections.length === 0 ? null : objections.join("\n");
}
