import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Simulator, startSimulator } from "../../simulator/server.ts";
import { type ChildProgram, startProgram } from "../conformance/deployment/child-program.ts";
import { configuration, type ModelKind } from "./models.ts";

/** A gateway as its users run it, in its own process; its vendors are a simulator in this process. */
export interface Deployment extends AsyncDisposable {
  /** The gateway's address without a path: `http://127.0.0.1:PORT`. */
  readonly url: string;
  readonly simulator: Simulator;
  /** Creates an account with this much credit, and returns a key of it. */
  newKey(credit: string): Promise<string>;
}

/** Starts the gateway and the simulator; rejects with the gateway's output when it does not start. */
export async function startDeployment(kinds: Readonly<Record<string, ModelKind>>): Promise<Deployment> {
  const folder = await mkdtemp(join(tmpdir(), "camino-clients-"));
  const simulator = await startSimulator({ api_key: "simulated" });
  let gateway: ChildProgram | null = null;
  const stop = async (): Promise<void> => {
    await gateway?.stop();
    await simulator.stop();
    await rm(folder, { recursive: true, force: true });
  };
  try {
    const config = join(folder, "camino.yaml");
    // JSON is valid YAML.
    await Bun.write(config, JSON.stringify(configuration(simulator, kinds)));
    const flags = ["--json", "--port", "0", "--config", config, "--data", join(folder, "data")];
    gateway = await startProgram(["serve", ...flags], folder);
    const url = String(gateway.ready.url);
    const token = (await readFile(join(folder, "data", "admin-token"), "utf8")).trim();
    return { url, simulator, newKey: keyMaker(url, token), [Symbol.asyncDispose]: stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

function keyMaker(url: string, token: string): Deployment["newKey"] {
  let accounts = 0;
  const create = async (path: string, body: object): Promise<Record<string, unknown>> => {
    const response = await fetch(`${url}/console/api${path}`, {
      method: "POST",
      headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
      body: JSON.stringify(body),
    });
    if (!response.ok) throw new Error(`POST ${path}: ${response.status} ${await response.text()}`);
    return (await response.json()) as Record<string, unknown>;
  };
  return async (credit) => {
    accounts += 1;
    const email = `client-${accounts}@example.com`;
    await create("/accounts", { email, credit });
    return String((await create("/keys", { account: email })).key);
  };
}
