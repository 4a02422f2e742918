import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Gateway } from "../gateway.ts";
import type { Deployment } from "../run-cell.ts";
import { type ChildProgram, startProgram } from "./child-program.ts";
import { ownModels } from "./own-models.ts";

/**
 * A gateway of this working copy, whose five vendors are one simulator; gateway and simulator are separate processes.
 */
export interface OwnDeployment extends Deployment, AsyncDisposable {
  readonly url: string;
  readonly key: string;
}

export async function startOwnDeployment(): Promise<OwnDeployment> {
  const folder = await mkdtemp(join(tmpdir(), "camino-conformance-"));
  const running: ChildProgram[] = [];
  const stop = async (): Promise<void> => {
    for (const program of running.reverse()) await program.stop();
    await rm(folder, { recursive: true, force: true });
  };
  try {
    const simulator = await startProgram(["simulate", "--json"], folder);
    running.push(simulator);
    const models = ownModels();
    const config = join(folder, "camino.yaml");
    // YAML includes JSON, so the gateway reads this file.
    await Bun.write(config, JSON.stringify(configuration(String(simulator.ready.url), models)));
    const serve = ["serve", "--json", "--port", "0", "--config", config, "--data", join(folder, "data")];
    const gateway = await startProgram(serve, folder);
    running.push(gateway);
    const url = String(gateway.ready.url);
    const key = await makeKey(url, (await readFile(join(folder, "data", "admin-token"), "utf8")).trim());
    return {
      url,
      key,
      gateway: new Gateway(url, key),
      modelFor: (vendor, kind) => (Object.hasOwn(models, `${vendor}/${kind}`) ? `${vendor}/${kind}` : null),
      [Symbol.asyncDispose]: stop,
    };
  } catch (error) {
    await stop();
    throw error;
  }
}

function configuration(simulator_url: string, models: Record<string, object>): object {
  const vendor = (protocol: string, path: string) => ({
    protocol,
    base_url: simulator_url + path,
    api_key: "simulated",
    forwards_safety_identifier: true,
  });
  return {
    catalog: "none",
    limits: { default_key: { rpm: 1_000_000, concurrent: 256 } },
    vendors: {
      chat: vendor("chat-completions", "/v1"),
      responses: vendor("responses", "/v1"),
      messages: vendor("messages", "/v1"),
      gemini: vendor("gemini", "/v1beta"),
      bedrock: vendor("bedrock-converse", ""),
    },
    models,
  };
}

async function makeKey(url: string, token: string): Promise<string> {
  const email = "conformance@example.com";
  await administer(url, token, { path: "/accounts", body: { email, credit: "1000" } });
  const { key } = await administer(url, token, { path: "/keys", body: { account: email } });
  return String(key);
}

async function administer(
  url: string,
  token: string,
  { path, body }: { readonly path: string; readonly body: object },
): Promise<Record<string, unknown>> {
  const headers = { authorization: `Bearer ${token}`, "content-type": "application/json" };
  const response = await fetch(`${url}/console/api${path}`, { method: "POST", headers, body: JSON.stringify(body) });
  const text = await response.text();
  if (!response.ok) throw new Error(`POST ${path}: ${response.status} ${text}`);
  return JSON.parse(text) as Record<string, unknown>;
}
