import { Database } from "bun:sqlite";
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { join } from "node:path";
import type { Gateway, TestKey } from "../../support/gateway.ts";
import { THINKING } from "../../support/simulated-gateway.ts";
import { eventually, type Scene, startScene } from "./support/scene.ts";
import { responses } from "./support/styles.ts";

/** Stored responses under failures, and who may read them (docs/adr/0017). */

const models = {
  "acme/echo": {},
  "acme/reason": { upstream_model: "reason", ...THINKING },
  "other/reason": { upstream_model: "reason", ...THINKING },
  "acme/breaks": { upstream_model: "long@tokens=20&fault=cut-mid" },
  "acme/slow": { upstream_model: "long@tokens=40&ms=20" },
  "drains/slow": { upstream_model: "long@tokens=40&ms=20" },
  "acme/endless": { upstream_model: "long@tokens=20000&piece=100&ms=1" },
};

let scene: Scene;
let key: TestKey;

beforeAll(async () => {
  scene = await startScene({ models, vendors: { other: {}, drains: { on_disconnect: "drain" } } });
  key = await scene.newKey({ credit: "1000" });
});
afterAll(async () => {
  await scene[Symbol.asyncDispose]();
});

interface Answer {
  readonly status: number;
  readonly body: ResponseBody;
}

interface ResponseBody {
  readonly id: string;
  readonly status?: string;
  readonly output: readonly { readonly id?: string; readonly type: string }[];
  readonly error?: { readonly code: string; readonly param: string | null; readonly message: string };
}

async function send(body: object, { by = key, gateway = scene.gateway, headers = {} as object } = {}): Promise<Answer> {
  const response = await fetch(`${gateway.url}/v1/responses`, {
    method: "POST",
    headers: { authorization: `Bearer ${by.key}`, "content-type": "application/json", ...headers },
    body: JSON.stringify({ model: "acme/echo", ...body }),
  });
  return { status: response.status, body: (await response.json()) as ResponseBody };
}

async function look(id: string, by: TestKey = key, gateway: Gateway = scene.gateway, method = "GET"): Promise<Answer> {
  const headers = { authorization: `Bearer ${by.key}` };
  const response = await fetch(`${gateway.url}/v1/responses/${id}`, { method, headers });
  return { status: response.status, body: (await response.json()) as ResponseBody };
}

/** The body of the last request to the vendor. */
function lastSent(): Readonly<Record<string, unknown>> & { readonly input: readonly Record<string, unknown>[] } {
  return scene.simulator.log.requests.at(-1)?.body as never;
}

describe("another account's id is like an unknown id", () => {
  test("for every use of it", async () => {
    const { body } = await send({ input: "mine" });
    const stranger = await scene.newKey({ credit: "10" });
    const unknown = `resp_${"0".repeat(22)}`;
    for (const id of [body.id, unknown]) {
      expect(await look(id, stranger)).toMatchObject({ status: 404, body: { error: { code: "not_found" } } });
      expect((await look(id, stranger, scene.gateway, "DELETE")).status).toBe(404);
      expect((await look(`${id}/input_items`, stranger)).status).toBe(404);
    }
    const calls = scene.simulator.log.total;
    const before = await scene.wallet(stranger);
    for (const previous_response_id of [body.id, unknown]) {
      const refused = await send({ input: "theirs", previous_response_id }, { by: stranger });
      const error = { code: "previous_response_not_found", param: "previous_response_id" };
      expect(refused).toMatchObject({ status: 400, body: { error } });
      expect(refused.body.error?.message).toContain("store: false");
    }
    for (const id of [body.output[0]?.id, "msg_unknown"]) {
      const input = [
        { role: "user", content: "x" },
        { type: "item_reference", id },
      ];
      const refused = await send({ input }, { by: stranger });
      expect(refused).toMatchObject({ status: 400, body: { error: { code: "item_not_found", param: "input[1]" } } });
    }
    expect(scene.simulator.log.total).toBe(calls);
    expect(await scene.wallet(stranger)).toEqual(before);
    expect((await look(body.id)).status).toBe(200);
  });

  test("other keys of the same account find it", async () => {
    const { body } = await send({ input: "ours" });
    const { key: secret } = await scene.gateway.admin<{ key: string }>("POST", "/keys", { account: key.account });
    expect((await look(body.id, { ...key, key: secret })).status).toBe(200);
  });
});

describe("a vendor that speaks responses", () => {
  test("gets the whole conversation, and no ids of the gateway's", async () => {
    const first = await send({ input: "one" });
    await send({ input: "two", previous_response_id: first.body.id });
    const sent = lastSent();
    expect(sent).not.toHaveProperty("previous_response_id");
    expect(sent.input.map(({ role }) => role)).toEqual(["user", "assistant", "user"]);
  });

  test("is asked for sealed reasoning, and gets it back; another vendor gets the texts alone", async () => {
    const first = await send({ model: "acme/reason", input: "Think.", reasoning: { effort: "low" } });
    expect(first.body.output.map(({ type }) => type)).toEqual(["reasoning", "message"]);
    expect(lastSent().include).toEqual(["reasoning.encrypted_content"]);
    const previous_response_id = first.body.id;
    const again = await send({ model: "acme/reason", input: "Go on.", previous_response_id });
    expect(again.status).toBe(200);
    expect(lastSent().input.map(({ type }) => type)).toEqual(["message", "reasoning", "message", "message"]);
    expect(lastSent().input[1]?.encrypted_content).toBeString();
    const elsewhere = await send({ model: "other/reason", input: "Go on.", previous_response_id });
    expect(elsewhere.status).toBe(200);
    expect(lastSent().input.map(({ type }) => type)).toEqual(["message", "message", "message"]);
    expect(lastSent().input[1]).not.toHaveProperty("id");
  });

  test("is called with a hold that covers the whole recalled input", async () => {
    const first = await send({ input: "x".repeat(20_000) });
    const poor = await scene.newKey({ credit: "0.000100" });
    expect((await send({ input: "y" }, { by: poor })).status).toBe(402);
    const second = await send({ input: "y", max_output_tokens: 16, previous_response_id: first.body.id });
    const receipts = await scene.receipts(key);
    expect(second.status).toBe(200);
    expect(receipts[0]?.usage?.input_tokens).toBeGreaterThan(2500);
  });
});

describe("the stored response is the delivered answer", () => {
  test("of an answer that an empty wallet cut: it is incomplete, and can be gone on from", async () => {
    const by = await scene.newKey({ credit: ((4096 * 4 + 1000) / 1_000_000).toFixed(6) });
    const stream = await (await scene.stream(responses, by, "acme/endless")).finish();
    expect(stream.ending).toBe("length");
    const [, id = ""] = /"id":"(resp_[^"]+)"/.exec(stream.received) ?? [];
    const stored = await look(id, by);
    expect(stored).toMatchObject({
      status: 200,
      body: { status: "incomplete", incomplete_details: { reason: "max_output_tokens" } },
    });
    expect(responses.textOfWhole(stored.body as never)).toBe(stream.text);
  });

  test("nothing is stored of a stream that broke", async () => {
    const stream = await (await scene.stream(responses, key, "acme/breaks")).finish();
    expect(stream.ending).toBe("failed");
    const [, id = ""] = /"id":"(resp_[^"]+)"/.exec(stream.received) ?? [];
    expect((await look(id)).status).toBe(404);
  });

  test.each([
    ["acme/slow", 404],
    ["drains/slow", 200],
  ])("and of one whose client left only what was read to its end: %s", async (model, status) => {
    const stream = await scene.stream(responses, key, model);
    await stream.until(({ text }) => text.length > 10);
    const [, id = ""] = /"id":"(resp_[^"]+)"/.exec(stream.received) ?? [];
    stream.leave();
    await scene.ended(stream.request_id);
    const found = async () => ((await look(id)).status === status ? true : null);
    expect(await eventually(`${id} as ${status}`, found)).toBe(true);
  });

  test("once, however often an idempotent request is repeated", async () => {
    const headers = { "idempotency-key": "stored-once" };
    const first = await send({ input: "once" }, { headers });
    await look(first.body.id, key, scene.gateway, "DELETE");
    const again = await send({ input: "once" }, { headers });
    expect(again.body).toEqual(first.body);
    expect((await look(first.body.id)).status).toBe(404);
  });
});

describe("on its own gateway", () => {
  const config = (responses_keep: string) => ({
    models,
    vendors: { other: {}, drains: {} },
    responses: { keep: responses_keep },
  });

  test("survives a kill once it is written, and neither a changed secret nor a changed row", async () => {
    await using own = await startScene({ ...config("1h"), env: { CAMINO_SECRET: "the first secret of two" } });
    const by = await own.newKey();
    const [kept, changed] = [
      await send({ input: "kept" }, { by, gateway: own.gateway }),
      await send({ input: "changed" }, { by, gateway: own.gateway }),
    ];
    const file = join(own.gateway.data, "camino.db");
    await eventually("both rows", async () => {
      using database = new Database(file, { readonly: true });
      const found = database.query("SELECT count(*) AS n FROM stored_responses").get() as { n: number };
      return found.n === 2 ? true : null;
    });
    await own.gateway.stop("SIGKILL");
    let gateway = await own.gateway.restart();
    expect((await look(kept.body.id, by, gateway)).body).toEqual(kept.body);
    const first = await send({ input: "on", previous_response_id: kept.body.id }, { by, gateway });
    expect(first.status).toBe(200);
    await gateway.stop("SIGTERM");
    {
      using database = new Database(file);
      expect(database.query("SELECT count(*) AS n FROM stored_responses").get()).toEqual({ n: 3 });
      // Each has another's contents: sealed under the right key, in the wrong place.
      database.run("UPDATE stored_responses SET output = (SELECT input FROM stored_responses AS o LIMIT 1)");
    }
    gateway = await gateway.restart();
    for (const id of [kept.body.id, changed.body.id]) expect((await look(id, by, gateway)).status).toBe(404);
    const refused = await send({ input: "on", previous_response_id: changed.body.id }, { by, gateway });
    expect(refused).toMatchObject({ status: 400, body: { error: { code: "previous_response_not_found" } } });
    const fresh = await send({ input: "fresh" }, { by, gateway });
    expect((await look(fresh.body.id, by, gateway)).status).toBe(200);
    await gateway.stop("SIGKILL");
  }, 60_000);

  test("expires after its time, unless a later request went on from it", async () => {
    await using own = await startScene(config("10s"));
    const by = await own.newKey();
    const gateway = own.gateway;
    const lost = await send({ input: "lost" }, { by, gateway });
    const root = await send({ input: "root" }, { by, gateway });
    await Bun.sleep(5000);
    const tip = await send({ input: "tip", previous_response_id: root.body.id }, { by, gateway });
    expect(tip.status).toBe(200);
    await eventually("the end of what was not used", async () =>
      (await look(lost.body.id, by, gateway)).status === 404 ? true : null,
    );
    const on = await send({ input: "on", previous_response_id: tip.body.id }, { by, gateway });
    expect(on.status).toBe(200);
  }, 60_000);

  describe("switched off in the configuration", () => {
    /** Asks once, and then for an answer that goes on from the first. */
    async function goOn(own: Scene): Promise<Answer> {
      const [by, { gateway }] = [await own.newKey(), own];
      const first = await send({ input: "one" }, { by, gateway });
      expect((await look(first.body.id, by, gateway)).status).toBe(404);
      return await send({ input: "two", previous_response_id: first.body.id }, { by, gateway });
    }

    test("leaves ids to the vendor, and refuses them, as the vendor knows no accounts", async () => {
      await using own = await startScene(config("0"));
      expect(await goOn(own)).toMatchObject({ status: 400, body: { error: { param: "previous_response_id" } } });
      expect(own.simulator.log.requests).toHaveLength(1);
    });

    test("sends them unchanged to a vendor whose state all accounts may share", async () => {
      const vendors = { acme: { shared_state: "allow" }, other: {}, drains: {} };
      await using own = await startScene({ ...config("0"), vendors });
      await goOn(own);
      expect(own.simulator.log.requests.at(-1)?.body).toMatchObject({ previous_response_id: expect.any(String) });
    });
  });
});
