import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { FoundRequest, ReceiptList } from "../../../contract/requests.ts";
import { type Ran, runHere } from "../../support/camino.ts";
import { type Gateway, startGateway, type TestKey } from "../../support/gateway.ts";
import { eventually } from "../failures/support/scene.ts";
import { ConsoleCaller } from "./support/console.ts";

/** A refused call is found by its id, the client's or ours, wherever receipts are found (docs/rulings.md 205). */

let gateway: Gateway;
let admin: ConsoleCaller;
let key: TestKey;
let poor: TestKey;
let other: TestKey;

beforeAll(async () => {
  gateway = await startGateway();
  admin = await ConsoleCaller.of(gateway);
  key = await gateway.newKey({ name: "laptop" });
  poor = await gateway.newKey({ credit: "0" });
  other = await gateway.newKey();
}, 60_000);
afterAll(() => gateway?.[Symbol.asyncDispose]());

async function refused(by: TestKey, body: object, id: string): Promise<string> {
  const answer = await fetch(`${gateway.url}/v1/chat/completions`, {
    method: "POST",
    headers: { authorization: `Bearer ${by.key}`, "content-type": "application/json", "x-request-id": id },
    body: JSON.stringify(body),
  });
  expect(answer.status).toBeGreaterThanOrEqual(400);
  return answer.headers.get("x-camino-request-id") ?? "";
}

const messages = [{ role: "user", content: "Hi" }];
const publicly = (by: TestKey, id: string): Promise<Response> =>
  fetch(`${gateway.url}/v1/requests/${id}`, { headers: { authorization: `Bearer ${by.key}` } });

const kept = (by: TestKey, id: string): Promise<true> =>
  eventually(`what became of ${id}`, async () => ((await publicly(by, id)).status === 200 ? true : null), 20_000);

describe("a refused call", () => {
  const CASES: [what: string, by: () => TestKey, body: object, told: object][] = [
    [
      "of an unknown model",
      () => key,
      { model: "gpt-9", messages },
      { error: "model_not_found", http_status: 404, requested_model: "gpt-9", model: null, param: "model" },
    ],
    [
      "that is no request",
      () => key,
      { model: "sim/echo", messages: "Hi" },
      { http_status: 400, requested_model: "sim/echo" },
    ],
    [
      "without credit",
      () => poor,
      { model: "sim/echo", messages },
      { error: "insufficient_balance", http_status: 402 },
    ],
  ];
  test.each(CASES)(
    "%s is found by both ids, by its account and by administrators",
    async (what, by, body, told) => {
      const theirs = `mine-${what.replaceAll(" ", "-")}`;
      const ours = await refused(by(), body, theirs);
      await kept(by(), ours);
      const expected = {
        id: ours,
        object: "refused_request",
        client_request_id: theirs,
        status: "refused",
        charge_micro: 0,
        ...told,
      };
      for (const id of [ours, theirs]) {
        const shown = (await (await publicly(by(), id)).json()) as Record<string, unknown>;
        expect(shown).toMatchObject({ ...expected, key_id: by().id, endpoint: "chat.completions" });
        expect(shown.message).not.toBe("");
        expect(await admin.read(FoundRequest, `GET /requests/${id}`)).toMatchObject({
          ...expected,
          account: by().account,
          key: { id: by().id },
        });
        expect((await publicly(other, id)).status).toBe(404);
      }
    },
    60_000,
  );

  test("stands among the requests of any status, found by the beginning of its id, and beside no other filter", async () => {
    const theirs = "found-among-others-1";
    const ours = await refused(key, { model: "gpt-9", messages }, theirs);
    await kept(key, ours);
    const ids = async (query: string) =>
      (await admin.read(ReceiptList, `GET /requests?${query}`)).refused.map(({ id }) => id);
    for (const query of [
      "q=found-among",
      `q=${ours.slice(0, 20)}`,
      `account=${key.account}`,
      `key=${key.id}`,
      "model=gpt-9",
    ]) {
      expect(await ids(query)).toContain(ours);
    }
    for (const query of ["outcome=answered", "project=none", `account=${other.account}`, "endpoint=messages"]) {
      expect(await ids(query)).not.toContain(ours);
    }
    const { names } = await admin.read(ReceiptList, `GET /requests?account=${key.account}`);
    expect(names.keys[key.id]).toBe("laptop");
  }, 60_000);

  test("is shown and listed by the command line", async () => {
    const ours = await refused(key, { model: "gpt-9", messages }, "shown-by-command");
    await kept(key, ours);
    const camino = (...words: string[]): Promise<Ran> =>
      runHere(["request", ...words, "--url", gateway.url, "--data", gateway.data], { cwd: gateway.data });
    const { stdout } = await camino("show", "shown-by-command");
    for (const line of [
      /^id +req_/m,
      /^asked for +gpt-9$/m,
      /^error +404 model_not_found \(model\)$/m,
      /^key +laptop \(key_/m,
      /^message +.*gpt-9/m,
    ]) {
      expect(stdout).toMatch(line);
    }
    expect((await camino("list", "--account", key.account)).stdout).toMatch(
      new RegExp(`${ours} +refused +model_not_found`),
    );
  }, 60_000);
});
