import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { join } from "node:path";
import { LARGE_BYTES } from "../../../src/pipeline/request/sizes.ts";
import type { TestKey } from "../../support/gateway.ts";
import { type Scene, startScene } from "../failures/support/scene.ts";
import {
  chat,
  endingOfStream,
  messages,
  responses,
  STYLES,
  type Style,
  textOfStream,
} from "../failures/support/styles.ts";

/** A large body, which other threads work on (docs/adr/0027-body-workers.md), is treated like any other. */

const VENDORS = {
  chatty: "chat-completions",
  wordy: "messages",
  answering: "responses",
  twin: "gemini",
  rocky: "bedrock-converse",
};
const TEXT = `${"Grüße, 漢字 and plain words. ".repeat(LARGE_BYTES / 25)}The end.`;
/** The simulator's echo answers with the beginning of the last user message. */
const echoOf = (text: string) => `Simulated answer: ${text.slice(0, 10_000)}`;
const LONGER = { fallbacks: ["acme/echo"] };

let scene: Scene;
let key: TestKey;

beforeAll(async () => {
  const vendors = Object.fromEntries(
    Object.entries(VENDORS).map(([id, protocol]) => [
      id,
      { protocol: [protocol], ...(id === "rocky" && { api_key: "x" }) },
    ]),
  );
  const models = Object.fromEntries(["acme", ...Object.keys(VENDORS)].map((id) => [`${id}/echo`, {}]));
  scene = await startScene({
    models: {
      ...models,
      "acme/unreported": { upstream_model: "echo@usage=none" },
      "acme/fail-503": LONGER,
      "acme/slow": { upstream_model: "slow@ms=1" },
      "acme/small": { context_length: 1000 },
    },
    vendors,
  });
  key = await scene.newKey({ credit: "100000" });
});

afterAll(async () => {
  await scene[Symbol.asyncDispose]();
});

const rows = STYLES.flatMap((style) =>
  ["acme", ...Object.keys(VENDORS)].flatMap((vendor) =>
    ["whole", "streamed"].map((how) => [style.path("acme/echo"), vendor, how, style] as const),
  ),
);

/** The longest text in what the vendor was sent last. */
function saidToVendor(): string {
  let longest = "";
  JSON.stringify(scene.simulator.log.last?.body, (_, value: unknown) => {
    if (typeof value === "string" && value.length > longest.length) longest = value;
    return value;
  });
  return longest;
}

/** The request's receipt, once it has ended. */
const receiptOf = (answer: Response) => scene.ended(answer.headers.get("x-request-id") ?? "");

test.each(rows)(
  "%s by %s, %s: the text is heard whole, answered, and charged as told",
  async (_, vendor, how, style) => {
    const answer = await scene.call(style, key, `${vendor}/echo`, {
      text: TEXT,
      stream: how === "streamed",
      cap: 64_000,
    });
    const text = await answer.text();
    expect([answer.status, text.slice(0, answer.status === 200 ? 0 : 300)]).toEqual([200, ""]);
    const said = how === "streamed" ? textOfStream(style, text) : style.textOfWhole(JSON.parse(text));
    expect(said === echoOf(TEXT)).toBe(true);
    expect(saidToVendor().endsWith("The end.")).toBe(true);
    if (how === "streamed") expect(endingOfStream(style, text)).toBe("complete");
    const { status, estimated } = await receiptOf(answer);
    expect([status, estimated]).toEqual(["settled", false]);
  },
);

describe("the refusals are the same", () => {
  const filler = "x".repeat(LARGE_BYTES);
  const cases: readonly (readonly [string, Style, string, number, string, string | null])[] = [
    [
      "broken JSON",
      chat,
      `{"model":"acme/echo","messages":[{"role":"user","content":"${filler}`,
      400,
      "invalid_json",
      null,
    ],
    ["no object", responses, `["${filler}"]`, 400, "invalid_json", null],
    [
      "a wrong role",
      chat,
      JSON.stringify({
        model: "acme/echo",
        messages: [
          { role: "user", content: filler },
          { role: "x", content: "y" },
        ],
      }),
      400,
      "unsupported_message_role",
      "messages[1].role",
    ],
    [
      "an unknown model",
      chat,
      JSON.stringify(chat.body("acme/none", { text: filler })),
      404,
      "model_not_found",
      "model",
    ],
    [
      "what the target cannot",
      responses,
      JSON.stringify({ ...responses.body("chatty/echo", { text: filler }), background: true }),
      400,
      "unsupported_responses_feature",
      "background",
    ],
    [
      "an unknown response",
      responses,
      JSON.stringify({ ...responses.body("acme/echo", { text: filler }), previous_response_id: "resp_none" }),
      400,
      "previous_response_not_found",
      "previous_response_id",
    ],
  ];
  test.each(cases)("%s", async (_, style, body, ...refused) => {
    const answer = await post(style.path("acme/echo"), body);
    const { error } = (await answer.json()) as { error: { code: string; param: string | null } };
    expect<unknown>([answer.status, error.code, error.param]).toEqual(refused);
  });

  test("a wallet that does not pay for it", async () => {
    const poor = await scene.newKey({ credit: "0.000001" });
    const answer = await scene.call(chat, poor, "acme/echo", { text: TEXT });
    expect([answer.status, await answer.text()]).toEqual([402, expect.stringContaining("insufficient_balance")]);
  });

  test("a header that messages requires", async () => {
    const body = JSON.stringify(messages.body("acme/echo", { text: filler }));
    const headers = { authorization: `Bearer ${key.key}` };
    const answer = await fetch(scene.gateway.url + messages.path("acme/echo"), { method: "POST", headers, body });
    expect([answer.status, await answer.text()]).toEqual([400, expect.stringContaining("version header is missing")]);
    const versioned = { ...headers, "altstyle-version": "2023-06-01" };
    const taken = await fetch(scene.gateway.url + messages.path("acme/echo"), {
      method: "POST",
      headers: versioned,
      body,
    });
    expect([taken.status, (await taken.text()).length > 10_000]).toEqual([200, true]);
  });
});

function post(path: string, body: string, headers: Record<string, string> = {}): Promise<Response> {
  return fetch(scene.gateway.url + path, {
    method: "POST",
    headers: { authorization: `Bearer ${key.key}`, "anthropic-version": "2023-06-01", ...headers },
    body,
  });
}

test("where the vendor tells no usage, input and output are estimated, and the answer shows it", async () => {
  for (const stream of [false, true]) {
    const answer = await scene.call(chat, key, "acme/unreported", { text: TEXT, stream });
    await answer.text();
    const receipt = await receiptOf(answer);
    expect([receipt.status, receipt.estimated]).toEqual(["settled", true]);
    expect(receipt.usage?.input_tokens).toBeGreaterThan(TEXT.length / 10);
  }
});

test("a repeat with the same idempotency key gets the same answer for nothing, another body a 409", async () => {
  const body = JSON.stringify(chat.body("acme/echo", { text: TEXT }));
  const repeated = { "idempotency-key": "large-1" };
  const first = await post(chat.path("acme/echo"), body, repeated);
  const said = await first.text();
  await receiptOf(first);
  const { balance_micro } = await scene.wallet(key);
  const second = await post(chat.path("acme/echo"), body, repeated);
  expect([second.status, second.headers.get("idempotent-replayed"), (await second.text()) === said]).toEqual([
    200,
    "true",
    true,
  ]);
  const other = await post(chat.path("acme/echo"), body.replace("The end.", "The other end."), repeated);
  expect([other.status, await other.text()]).toEqual([409, expect.stringContaining("idempotency_key_reused")]);
  expect((await scene.wallet(key)).balance_micro).toBe(balance_micro);
});

test("a vendor that fails is followed by the next one", async () => {
  const answer = await scene.call(chat, key, "acme/fail-503", { text: TEXT });
  expect(answer.status).toBe(200);
  expect(chat.textOfWhole(JSON.parse(await answer.text())) === echoOf(TEXT)).toBe(true);
  expect((await receiptOf(answer)).attempts.length).toBeGreaterThan(1);
});

test("a large response is stored, and large and small requests go on from it", async () => {
  const first = (await (await scene.call(responses, key, "chatty/echo", { text: TEXT })).json()) as { id: string };
  for (const text of ["And now?", TEXT]) {
    const body = { ...responses.body("chatty/echo", { text }), previous_response_id: first.id };
    const next = await post(responses.path("acme/echo"), JSON.stringify(body));
    const said = responses.textOfWhole(JSON.parse(await next.text()));
    expect([next.status, said === echoOf(text)]).toEqual([200, true]);
    const { last } = scene.simulator.log;
    const { messages: seen } = (last as { body: unknown }).body as { messages: { content: unknown }[] };
    expect(seen.map(({ content }) => JSON.stringify(content).length > LARGE_BYTES)).toEqual([
      true,
      false,
      text === TEXT,
    ]);
  }
  const kept = await fetch(`${scene.gateway.url}/v1/responses/${first.id}/input_items`, {
    headers: { authorization: `Bearer ${key.key}` },
  });
  expect([kept.status, (await kept.text()).includes("The end.")]).toEqual([200, true]);
});

test("tokens are counted", async () => {
  for (const model of ["wordy/echo", "chatty/echo"]) {
    const { stream: _, max_tokens: __, ...body } = messages.body(model, { text: TEXT });
    const answer = await post("/v1/messages/count_tokens", JSON.stringify(body));
    const { input_tokens } = (await answer.json()) as { input_tokens: number };
    expect([answer.status, input_tokens > TEXT.length / 10]).toEqual([200, true]);
  }
});

test("clients that leave at any moment leave nothing held", async () => {
  const leaver = await scene.newKey({ credit: "100000" });
  for (const stream of [false, true]) {
    for (const after_ms of [0, 5, 20, 60, 200]) {
      const signal = AbortSignal.timeout(after_ms);
      const left = scene
        .call(chat, leaver, "acme/slow", { text: TEXT, stream, signal })
        .then((answer) => answer.text());
      await left.catch(() => {});
    }
  }
  for (let tries = 0; (await scene.wallet(leaver)).uncollected_micro !== 0; tries += 1) {
    expect(tries).toBeLessThan(100);
    await Bun.sleep(100);
  }
});

describe.each(["prepare", "readWhole", "push", "finish"])("a thread that dies at %s", (dies_at) => {
  test("ends its request in order, holds nothing, and is replaced", async () => {
    await using dying = await startScene({
      models: { "acme/echo": {} },
      program: join(import.meta.dir, "support/dying-workers.ts"),
      env: { DIES_AT: dies_at },
    });
    const owner = await dying.newKey({ credit: "100000" });
    const stream = dies_at === "push" || dies_at === "finish";
    const answer = await dying.call(chat, owner, "acme/echo", { text: TEXT, stream });
    const text = await answer.text().catch(() => "");
    if (dies_at === "finish") expect(text).not.toContain("[DONE]");
    else expect([answer.status, text]).toEqual([503, expect.stringContaining("model_unavailable")]);
    const request_id = answer.headers.get("x-request-id") ?? "";
    if (dies_at !== "prepare") expect((await dying.ended(request_id)).charge_micro).toBe(0);
    expect((await dying.wallet(owner)).uncollected_micro).toBe(0);
    const next = await dying.call(chat, owner, "acme/echo", { text: TEXT, stream });
    expect([next.status, (await next.text()).length > 10_000]).toEqual([200, true]);
    // The log comes through a pipe of its own: an answer may be here before a line that was written earlier.
    for (let tries = 0; !dying.gateway.log().includes("a thread for large bodies was lost"); tries += 1) {
      expect(tries).toBeLessThan(100);
      await Bun.sleep(50);
    }
  });
});
