import { expect, test } from "bun:test";
import { join } from "node:path";
import type { AlertTargetList } from "../../../contract/alerts.ts";
import { Caller } from "../../support/calls.ts";
import { freePort } from "../../support/free-port.ts";
import { startSimulatedGateway } from "../../support/simulated-gateway.ts";

/** The programs are for Node.js, of which the oldest supported version is tried wherever it is installed. */
const NODE = Bun.which("node") ?? process.execPath;
const RECIPE = join(import.meta.dir, "../../../docs/how-to/send-usage-to-a-billing-system.md");

type Booked = Record<string, { readonly cursor: number; readonly charged_micro: number }>;

test("the recipe's receiver books what the ledger charged, once, and refuses what is not signed", async () => {
  const text = await Bun.file(RECIPE).text();
  const [, program = ""] = /```js\n(\/\/ book\.mjs.*?)```/s.exec(text) ?? [];
  const port = freePort();
  const url = `http://127.0.0.1:${port}/usage`;
  const sections = { usage_events: { to: [`webhook:${url}`] } };
  await using scene = await startSimulatedGateway({ models: { "acme/echo": { upstream_model: "echo" } }, sections });
  const { gateway } = scene;
  const [target] = (await gateway.admin<AlertTargetList>("GET", "/alerts/targets")).data;
  const path = join(gateway.data, "book.mjs");
  await Bun.write(path, program);
  const env = { PORT: String(port), WEBHOOK_SECRET: target?.secret ?? "" };
  const child = Bun.spawn([NODE, path], { env, stdin: "ignore", stdout: "ignore", stderr: "inherit" });
  try {
    const booked = async (): Promise<Booked> => (await (await fetch(url)).json()) as Booked;
    while ((await booked().catch(() => null)) === null) await Bun.sleep(20);
    const { key, account } = await gateway.newKey({ credit: "5" });
    const caller = new Caller(gateway, key);
    const body = { model: "acme/echo", messages: [{ role: "user", content: "Hello" }] };
    for (let call = 0; call < 3; call += 1) expect((await caller.post("/v1/chat/completions", body)).status).toBe(200);
    while ((await booked())[account]?.cursor !== 3) await Bun.sleep(50);
    const { balance_micro } = await gateway.admin<{ balance_micro: number }>("GET", `/accounts/${account}`);
    expect((await booked())[account]?.charged_micro).toBe(5_000_000 - Number(balance_micro));
    const forged = JSON.stringify({ type: "usage.settled", data: { account, cursor: 4, charge_micro: 1 } });
    expect((await fetch(url, { method: "POST", body: forged })).status).toBe(401);
  } finally {
    child.kill();
    await child.exited;
  }
}, 60_000);
