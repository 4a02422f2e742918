import { afterAll, beforeAll, expect, test } from "bun:test";
import { join } from "node:path";
import type { ReceiptDetail } from "../../../contract/requests.ts";
import { runHere } from "../../support/camino.ts";
import type { TestKey } from "../../support/gateway.ts";
import { type Receipt, type Scene, startScene } from "./support/scene.ts";
import { STYLES } from "./support/styles.ts";

/** Receipts of calls that failed: what the vendor said, without secrets, and when each attempt was made. */

const [chat] = STYLES as [(typeof STYLES)[number]];
const CREDENTIAL = "sk-acme-0123456789";

let scene: Scene;
let key: TestKey;

beforeAll(async () => {
  scene = await startScene({
    models: {
      "acme/spare": { upstream_model: "echo" },
      "acme/down": { upstream_model: "fail-500", fallbacks: ["acme/spare"] },
      "acme/telling": { upstream_model: "echo-secret" },
      "acme/locked": { upstream_model: "fail-401" },
      "acme/bad": { upstream_model: "fail-400" },
      "acme/cut": { upstream_model: "error-mid" },
      "nowhere/m": { upstream_model: "m" },
    },
    vendors: { nowhere: { base_url: "http://127.0.0.1:9/v1" } },
  });
  key = await scene.newKey({ credit: "100" });
});
afterAll(() => scene[Symbol.asyncDispose]());

async function ask(model: string, stream = false): Promise<{ operators: Receipt; accounts: Receipt }> {
  const response = await scene.call(chat, key, model, { stream, cap: 50 });
  await response.text();
  const id = response.headers.get("x-camino-request-id") ?? "";
  const operators = await scene.ended(id);
  const own = await fetch(`${scene.gateway.url}/v1/requests/${id}`, {
    headers: { authorization: `Bearer ${key.key}` },
  });
  return { operators, accounts: (await own.json()) as Receipt };
}

const saidOf = ({ attempts }: Receipt) => attempts.map(({ said }) => said);

test("a failed attempt says what its vendor said, and each attempt when it began", async () => {
  const { operators, accounts } = await ask("acme/down");
  expect(saidOf(operators)).toEqual([expect.stringContaining("Simulated failure"), null]);
  expect(accounts.attempts).toEqual(operators.attempts);
  const [first, second] = operators.attempts;
  expect(first).not.toHaveProperty("calls");
  expect(first?.started_ms).toBeGreaterThanOrEqual(0);
  expect(second?.started_ms).toBeGreaterThanOrEqual((first?.started_ms ?? 0) + (first?.duration_ms ?? 0) - 1);
});

test("an answer at the first try has nothing said, and began when it was admitted", async () => {
  const { operators } = await ask("acme/spare");
  expect(operators.attempts).toMatchObject([{ status: 200, said: null, started_ms: operators.queue_ms }]);
});

test("a sentence that repeats the gateway's credential loses it", async () => {
  const { operators } = await ask("acme/telling");
  const [said] = saidOf(operators);
  expect(said).toContain("Simulated failure");
  expect(said).toContain("[removed]");
  expect(JSON.stringify(operators)).not.toContain(CREDENTIAL);
});

test.each(["acme/locked", "nowhere/m"])(
  "what is said about the gateway's own credential or network is for operators: %s",
  async (model) => {
    const { operators, accounts } = await ask(model);
    const said = saidOf(operators).filter((each) => each !== null);
    expect(said.length).toBeGreaterThan(0);
    expect(saidOf(accounts).every((each) => each === null)).toBe(true);
    expect(accounts.attempts.every((attempt) => !("said_to_operator" in attempt))).toBe(true);
  },
);

test("a stream that its vendor broke off says so on the attempt that had answered", async () => {
  const { operators } = await ask("acme/cut", true);
  expect(operators.outcome).toBe("failed");
  expect(operators.attempts).toMatchObject([{ status: 200, error: null }]);
  expect(saidOf(operators)).toEqual([expect.stringContaining("Simulated failure")]);
  expect(operators.attempts[0]?.started_ms).toBeGreaterThanOrEqual(0);
});

test("the command line and the file of receipts tell it too", async () => {
  const { operators } = await ask("acme/bad");
  const { url, data } = scene.gateway;
  const shown = await runHere(["request", "show", operators.id], {
    cwd: data,
    env: { CAMINO_URL: url, CAMINO_DATA: data },
  });
  expect(shown.stdout).toContain("began ms");
  expect(shown.stdout).toContain("acme said: Simulated failure");
  const token = (await Bun.file(join(data, "admin-token")).text()).trim();
  const file = await fetch(`${url}/console/api/requests?format=csv&q=${operators.id}`, {
    headers: { authorization: `Bearer ${token}` },
  });
  expect(await file.text()).toContain("Simulated failure");
  const detail = await scene.gateway.admin<ReceiptDetail>("GET", `/requests/${operators.id}`);
  expect(detail.attempts).toEqual(operators.attempts);
});
