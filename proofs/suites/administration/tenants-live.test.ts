import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { Caller, GENERATION, GENERATION_NAMES } from "../../support/calls.ts";
import { type SimulatedGateway, startSimulatedGateway, THINKING } from "../../support/simulated-gateway.ts";

/** What an account may not reach or spend, seen from outside: real requests to a real gateway. */

let simulated: SimulatedGateway;

beforeAll(async () => {
  simulated = await startSimulatedGateway({
    models: { "acme/echo": THINKING, "acme/slow": THINKING, "chatty/echo": {}, "wordy/echo": {} },
  });
});

afterAll(async () => {
  await simulated[Symbol.asyncDispose]();
});

/** An account with two keys, and these limits over both. */
async function limited(limits: object) {
  const { gateway } = simulated;
  const { account, key } = await gateway.newKey({ credit: "10" });
  const other = await gateway.admin<{ key: string }>("POST", "/keys", { account });
  await gateway.admin("PATCH", `/accounts/${account}`, limits);
  return { account, callers: [new Caller(gateway, key), new Caller(gateway, other.key)] as const };
}

describe("limits of an account", () => {
  test("requests per minute, over both keys: 429 that says whose limit it was", async () => {
    const { callers } = await limited({ rpm: 2 });
    const [one, two] = callers;
    const first = await one.generate("chat", "acme/echo");
    expect(first.headers.get("x-ratelimit-limit-requests")).toBe("2");
    expect([first.status, (await two.generate("responses", "acme/echo")).status]).toEqual([200, 200]);
    for (const caller of callers) {
      const refused = await caller.generate("messages", "acme/echo");
      expect(refused.status).toBe(429);
      expect(refused.error.message).toMatch(
        /^This account's limit of 2 requests per minute is reached\. Retry in \d+ s\.$/,
      );
      expect(Number(refused.headers.get("retry-after"))).toBeGreaterThan(0);
    }
  });

  test("a budget, over both keys: 402 that says whose budget it was", async () => {
    const { account, callers } = await limited({ budget: { amount: "0.0001", window: "day" } });
    const refused = await callers[1].post("/v1/chat/completions", {
      ...GENERATION.chat.body("acme/echo"),
      max_tokens: 1000,
    });
    expect(refused.status).toBe(402);
    expect(refused.error.message).toContain("This account's budget for the day has");
    await simulated.gateway.admin("PATCH", `/accounts/${account}`, { budget: null });
    expect((await callers[1].generate("chat", "acme/echo")).status).toBe(200);
  });

  test("models: others are as if they did not exist, at once and in the list too", async () => {
    const { callers } = await limited({ models: ["chatty/*"] });
    const [caller] = callers;
    expect((await caller.generate("chat", "acme/echo")).status).toBe(404);
    expect((await caller.generate("chat", "chatty/echo")).status).toBe(200);
    const { json } = await caller.get("/v1/models");
    expect((json.data as { id: string }[]).map(({ id }) => id)).toEqual(["chatty/echo"]);
  });
});

describe.each(["acme/echo", "chatty/echo", "wordy/echo"])("what the vendor of %s keeps", (model) => {
  const REFERENCES = {
    chat: { container: "container_1" },
    responses: { conversation: "conv_1" },
    messages: { container: { id: "container_1" } },
  } as const;

  test.each(GENERATION_NAMES)(
    "is not reached by %s: a 400 that names the member, and nothing is sent",
    async (name) => {
      const { key } = await simulated.gateway.newKey();
      const before = simulated.simulator.log.total;
      const { path, body } = GENERATION[name];
      const member = Object.keys(REFERENCES[name])[0] ?? "";
      const refused = await new Caller(simulated.gateway, key).post(path, { ...body(model), ...REFERENCES[name] });
      expect(refused.status).toBe(400);
      expect(refused.error.message).toStartWith(`'${member}' names a con`);
      expect(simulated.simulator.log.total).toBe(before);
    },
  );
});

test("an earlier response of another account is unknown here, whoever its vendor is", async () => {
  const [mine, theirs] = [await simulated.gateway.newKey(), await simulated.gateway.newKey()];
  const { json } = await new Caller(simulated.gateway, theirs.key).generate("responses", "acme/echo");
  const goOn = (key: string) =>
    new Caller(simulated.gateway, key).post("/v1/responses", {
      ...GENERATION.responses.body("acme/echo"),
      previous_response_id: json.id,
    });
  expect((await goOn(theirs.key)).status).toBe(200);
  expect((await goOn(mine.key)).error).toMatchObject({ code: "previous_response_not_found" });
});
