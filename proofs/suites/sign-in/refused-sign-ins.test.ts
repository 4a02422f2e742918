import { afterAll, beforeAll, expect, test } from "bun:test";
import { ConsoleBrowser } from "../../support/console-browser.ts";
import { type Gateway, startGateway } from "../../support/gateway.ts";

/** What an operator sees of guesses: a metric whose labels nobody can fill (docs/operations.md). */

const OPERATIONS_TOKEN = "a-token-of-the-operator";

let gateway: Gateway;

beforeAll(async () => {
  gateway = await startGateway({ env: { CAMINO_OPERATIONS_TOKEN: OPERATIONS_TOKEN } });
}, 60_000);
afterAll(() => gateway[Symbol.asyncDispose]());

async function metrics(token: string): Promise<Response> {
  return await fetch(`${gateway.url}/metrics`, { headers: { authorization: `Bearer ${token}` } });
}

async function refusedByWay(): Promise<Record<string, number>> {
  const text = await (await metrics(OPERATIONS_TOKEN)).text();
  const found = [...text.matchAll(/^camino_refused_sign_ins_total\{way="(\w+)"\} (\d+)$/gm)];
  return Object.fromEntries(found.map(([, way = "", count = ""]) => [way, Number(count)]));
}

test("are counted by their way, wrong ones and those that have to wait", async () => {
  const browser = new ConsoleBrowser(gateway.url, { "sec-fetch-site": "same-origin" });
  expect(await refusedByWay()).toEqual({});
  const email = "nobody@example.com";
  // The waits grow, so that a guess comes too early however slow the machine is.
  const statuses: number[] = [];
  while (statuses.at(-1) !== 429)
    statuses.push((await browser.call("POST /session/password", { email, password: "a guess of a stranger" })).status);
  const password = statuses.length;
  expect(statuses.slice(0, -1)).toEqual(Array<number>(password - 1).fill(401));
  expect((await browser.call("POST /session/link/look", { token: "x".repeat(43) })).status).toBe(410);
  await browser.call("POST /session/passkey", { challenge_id: "no challenge of the gateway", response: {} });
  const admin = { authorization: "Bearer no-token-of-the-operator" };
  expect((await fetch(`${gateway.url}/console/api/keys`, { headers: admin })).status).toBe(401);
  expect((await metrics("no-token-of-the-operator")).status).toBe(401);
  expect(await refusedByWay()).toEqual({ password, link: 1, passkey: 1, admin_token: 1, operations_token: 1 });
});
