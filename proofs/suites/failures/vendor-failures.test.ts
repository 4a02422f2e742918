import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { countTokens } from "gpt-tokenizer/encoding/o200k_base";
import { ERRORS, type ErrorCode } from "../../../src/core/errors.ts";
import type { TestKey } from "../../support/gateway.ts";
import { eventually, type Receipt, type Scene, startScene } from "./support/scene.ts";
import { type Json, STYLES, type Style, textAt } from "./support/styles.ts";
import { errorIn, toldError } from "./support/told-error.ts";

/** Vendors' failures: each gets its true status and the right charge, and leaves no hold behind. */

/** The vendor's failures before content, with the client's error (docs/rulings.md 19, 19a). `bad` is a 400. */
const BEFORE_CONTENT: readonly [upstream_model: string, told: ErrorCode | "bad"][] = [
  ["fail-400", "bad"],
  ["fail-422", "bad"],
  ["fail@status=413", "bad"],
  ["fail-401", "provider_error"],
  ["fail-403", "provider_error"],
  ["fail-404", "model_unavailable"],
  ["fail-408", "provider_error"],
  ["fail-429", "provider_rate_limited"],
  ["fail-500", "provider_error"],
  ["fail@status=502", "provider_error"],
  ["fail-503", "provider_error"],
  ["fail-529", "provider_error"],
  ["html-200", "provider_error"],
  ["html-502", "provider_error"],
  ["empty-200", "provider_error"],
  ["redirect", "provider_error"],
  ["redirect@status=302", "provider_error"],
  ["cut-headers", "provider_error"],
  ["error-first", "model_unavailable"],
  ["error-first@status=500", "provider_error"],
  ["error-first@status=429", "provider_rate_limited"],
];

/** Failures that need a vendor with short timeouts to occur in a test's time. */
const NO_ANSWER = ["hang", "hang-after-headers"];

/** Failures of a stream after its opening frames and before its first content, which wait for it (docs/rulings.md 9). */
const BROKEN_BEFORE_CONTENT = ["cut-before-content", "huge-line"];
/** Failures after content. */
const BROKEN_MID = ["cut-mid", "error-mid", "end-mid", "bad-json"];
/** Failures of an answer that is not streamed: the body is an error, is cut or cannot be read. */
const BROKEN_WHOLE: readonly [upstream_model: string, told: ErrorCode][] = [
  ["cut-before-content", "provider_error"],
  ["cut-mid", "provider_error"],
  ["error-mid", "model_unavailable"],
  ["end-mid", "provider_error"],
  ["bad-json", "provider_error"],
];

const UNBELIEVABLE = ["usage-negative", "usage-fraction", "usage-huge", "usage-text", "usage-cached-above-input"];
const UNREPORTED = ["no-usage"];

interface Case {
  readonly style: Style;
  readonly stream: boolean;
  readonly how: string;
  readonly model: string;
}

const models: Record<string, { upstream_model: string; routes: { vendor: string; upstream_model: string }[] }> = {};

/**
 * Each upstream model in each style, whole and streamed. Every case has a model of its own, also at the vendor, because
 * a circuit breaker that one case opens would refuse another case.
 */
function cases(upstream_model: string, options: { vendor?: string; streams?: readonly boolean[] } = {}): Case[] {
  const { vendor = "acme", streams = [false, true] } = options;
  return STYLES.flatMap((style) =>
    streams.map((stream) => {
      const how = stream ? "streamed" : "whole";
      const short_name = `${upstream_model.replaceAll(/[^\w-]+/g, "-")}-${style.protocol}-${how}`;
      const own = `${upstream_model}${upstream_model.includes("@") ? "&" : "@"}case=${short_name}`;
      const model = `acme/${short_name}`;
      models[model] = { upstream_model: own, routes: [{ vendor, upstream_model: own }] };
      return { style, stream, how, model };
    }),
  );
}

const rows = {
  before: BEFORE_CONTENT.flatMap(([name, told]) => cases(name).map((each) => ({ ...each, name, told }))),
  no_answer: NO_ANSWER.flatMap((name) => cases(name, { vendor: "hasty" }).map((each) => ({ ...each, name }))),
  opening: BROKEN_BEFORE_CONTENT.flatMap((name) => cases(name, { streams: [true] }).map((each) => ({ ...each, name }))),
  mid: BROKEN_MID.flatMap((name) => cases(name, { streams: [true] }).map((each) => ({ ...each, name }))),
  stalled: cases("stall-mid", { vendor: "hasty" }).filter(({ stream }) => stream),
  stalled_whole: cases("stall-mid@whole=1", { vendor: "hasty", streams: [false] }),
  whole: BROKEN_WHOLE.flatMap(([name, told]) =>
    cases(`${name}@whole=1`, { streams: [false] }).map((each) => ({ ...each, name, told })),
  ),
  unreported: UNREPORTED.flatMap((name) => cases(name).map((each) => ({ ...each, name }))),
  unbelievable: UNBELIEVABLE.flatMap((name) => cases(name).map((each) => ({ ...each, name }))),
  unreachable: cases("echo@vendor=gone", { vendor: "gone" }),
  secrets: ["echo-secret", "echo-secret@status=500", "echo-secret@status=429"].flatMap((name) =>
    cases(name).map((each) => ({ ...each, name })),
  ),
  unmarked: ["echo-secret", "echo-secret@status=500"].flatMap((name) =>
    cases(`${name}${name.includes("@") ? "&" : "@"}vendor=unmarked`, { vendor: "unmarked" }).map((each) => ({
      ...each,
      name,
    })),
  ),
  no_marker: cases("no-done", { streams: [true] }),
};

const SECRET = "sk-acme-0123456789";
/** A credential that looks like a word, so that no pattern finds it. */
const UNMARKED_SECRET = "QuietlyUnmarkedCredential";

let scene: Scene;
let key: TestKey;

beforeAll(async () => {
  scene = await startScene({
    models,
    vendors: {
      hasty: { timeouts: { first_byte: "300ms", idle: "300ms" } },
      unmarked: { api_key: UNMARKED_SECRET, headers: { "api-key": UNMARKED_SECRET } },
      // Nothing listens on port 9 (discard).
      gone: { base_url: "http://127.0.0.1:9/v1" },
    },
  });
  key = await scene.newKey({ credit: "1000" });
});

afterAll(async () => {
  await scene[Symbol.asyncDispose]();
});

/** The general 400 of the endpoint (docs/rulings.md 19a). */
const BAD_REQUEST: Readonly<Record<Style["endpoint"], ErrorCode>> = {
  "chat.completions": "unsupported_parameter",
  responses: "invalid_responses_input",
  messages: "invalid_request",
  generateContent: "invalid_request",
};

/** Expects the error in the endpoint's style, by the one table of errors. */
async function expectTold({ style }: Case, response: Response, code: ErrorCode): Promise<string> {
  const row = ERRORS[code];
  const body = (await response.json()) as { error: Json };
  expect([response.status, toldError(style, body)]).toEqual([row.status, errorIn(style, code)]);
  if (row.retryable) expect(Number(response.headers.get("retry-after"))).toBeGreaterThanOrEqual(1);
  else expect(response.headers.get("x-should-retry")).toBe("false");
  const message = textAt(body, ["error", "message"]);
  expect(message.length).toBeGreaterThan(10);
  return message;
}

async function expectFree(request_id: string): Promise<Receipt> {
  const receipt = await scene.ended(request_id);
  const { status, charge_micro, operator_loss_micro, usage } = receipt;
  expect({ status, charge_micro, operator_loss_micro, usage }).toEqual({
    status: "voided",
    charge_micro: 0,
    operator_loss_micro: 0,
    usage: null,
  });
  return receipt;
}

/** Expects a charge for exactly the delivered text, at the model's price. */
async function expectDeliveredCharged(request_id: string, text: string): Promise<Receipt> {
  const receipt = await scene.ended(request_id);
  expect({ status: receipt.status, estimated: receipt.estimated }).toEqual({ status: "settled", estimated: true });
  expect(receipt.usage?.output_tokens).toBe(countTokens(text));
  expect(receipt.usage?.input_tokens).toBeGreaterThan(0);
  expectAtPrice(receipt);
  return receipt;
}

function expectAtPrice({ usage, charge_micro }: Receipt): void {
  if (usage === null) throw new Error("the receipt has no usage");
  const cached = Math.ceil(usage.cache_read_tokens * 0.1 + usage.cache_write_tokens * 1.25);
  expect(charge_micro).toBe(usage.input_tokens + cached + usage.output_tokens * 4);
}

const idOf = (response: Response): string => response.headers.get("x-camino-request-id") ?? "";

describe("a failure before content has its true status and is free", () => {
  test.concurrent.each(rows.before)("$name, $style.endpoint, $how: $told", async (row) => {
    const response = await scene.call(row.style, key, row.model, { stream: row.stream });
    const code = row.told === "bad" ? BAD_REQUEST[row.style.endpoint] : row.told;
    await expectTold(row, response, code);
    const receipt = await expectFree(idOf(response));
    expect(receipt.error).toBe(code);
    expect(receipt.attempts.length).toBeGreaterThan(0);
  });

  test.concurrent.each(rows.no_answer)("$name, $style.endpoint, $how: a timeout is 502", async (row) => {
    const response = await scene.call(row.style, key, row.model, { stream: row.stream });
    await expectTold(row, response, "provider_error");
    await expectFree(idOf(response));
  });

  test.concurrent.each(rows.unreachable)("a vendor that cannot be reached, $style.endpoint, $how: 503", async (row) => {
    const response = await scene.call(row.style, key, row.model, { stream: row.stream });
    await expectTold(row, response, "model_unavailable");
    await expectFree(idOf(response));
  });

  test.concurrent.each(rows.whole)("$name, $style.endpoint, whole: no answer is no charge", async (row) => {
    const response = await scene.call(row.style, key, row.model);
    await expectTold(row, response, row.told);
    await expectFree(idOf(response));
  });

  test.concurrent.each(rows.stalled_whole)("a body that stands still, $style.endpoint", async (row) => {
    const response = await scene.call(row.style, key, row.model);
    await expectTold(row, response, "provider_error");
    await expectFree(idOf(response));
  });

  test("a rate limit passes the vendor's own pause on", async () => {
    const row = rows.before.find(({ name }) => name === "fail-429");
    if (row === undefined) throw new Error("no such row");
    const response = await scene.call(row.style, key, row.model);
    expect(response.headers.get("retry-after")).toBe("1");
    await response.arrayBuffer();
  });
});

describe("a stream that breaks", () => {
  test.concurrent.each(rows.opening)("$name, $style.endpoint: fails without a charge", async (row) => {
    const response = await scene.call(row.style, key, row.model, { stream: true });
    await expectTold(row, response, "provider_error");
    const receipt = await expectFree(idOf(response));
    expect(receipt.error).toBe("provider_error");
  });

  test.concurrent.each(rows.mid)("$name, $style.endpoint: fails, and the delivered part is charged", async (row) => {
    const stream = await (await scene.stream(row.style, key, row.model)).finish();
    expect(stream.text.length).toBeGreaterThan(0);
    const { status, ending, broken_law } = stream;
    expect({ status, ending, broken_law }).toEqual({ status: 200, ending: "failed", broken_law: null });
    const receipt = await expectDeliveredCharged(stream.request_id, stream.text);
    expect(receipt.error).not.toBeNull();
  });

  test.concurrent.each(rows.stalled)("stall-mid, $style.endpoint: ends after the idle timeout", async (row) => {
    const stream = await (await scene.stream(row.style, key, row.model)).finish();
    const { status, ending, broken_law } = stream;
    expect({ status, ending, broken_law }).toEqual({ status: 200, ending: "failed", broken_law: null });
    const receipt = await expectDeliveredCharged(stream.request_id, stream.text);
    expect(receipt.error).toBe("provider_error");
    const seen = scene.simulator.log.requests.find(({ model }) => model === models[row.model]?.upstream_model);
    expect((await seen?.ended)?.aborted).toBe(true);
  });

  test.concurrent.each(rows.no_marker)("no-done, $style.endpoint: is judged by the style's rule", async (row) => {
    const stream = await (await scene.stream(row.style, key, row.model)).finish();
    const receipt = await scene.ended(stream.request_id);
    expect(receipt.status).toBe("settled");
    expectAtPrice(receipt);
    // The last event of responses holds the answer and its usage: without it the stream is broken. Elsewhere the answer
    // was said to be finished, and only the marker is missing.
    const whole = row.style.endpoint !== "responses";
    expect(stream.broken_law).toBeNull();
    expect({ ending: stream.ending, estimated: receipt.estimated, error: receipt.error }).toEqual(
      whole
        ? { ending: "complete", estimated: false, error: null }
        : { ending: "failed", estimated: true, error: "provider_error" },
    );
  });
});

describe("usage that is missing or unbelievable is estimated", () => {
  test.concurrent.each([...rows.unreported, ...rows.unbelievable])("$name, $style.endpoint, $how", async (row) => {
    const { text, id } = row.stream ? await streamedAnswer(row) : await wholeAnswer(row);
    const receipt = await scene.ended(id);
    expect(receipt).toMatchObject({ status: "settled", estimated: true, error: null });
    expect(receipt.usage?.output_tokens).toBe(countTokens(text));
    expect(receipt.usage?.input_tokens).toBeGreaterThan(0);
    expect(receipt.usage?.input_tokens).toBeLessThan(200);
    expectAtPrice(receipt);
    if (row.name === "no-usage") expect(reportsOfUsage(id)).toHaveLength(0);
    else await eventually(`the log line about ${id}`, async () => reportsOfUsage(id)[0] ?? null);
  });
});

async function streamedAnswer({ style, model }: Case): Promise<{ text: string; id: string }> {
  const stream = await (await scene.stream(style, key, model)).finish();
  expect(stream.ending).toBe("complete");
  return { text: stream.text, id: stream.request_id };
}

async function wholeAnswer({ style, model }: Case): Promise<{ text: string; id: string }> {
  const response = await scene.call(style, key, model);
  expect(response.status).toBe(200);
  return { text: style.textOfWhole((await response.json()) as Json), id: idOf(response) };
}

function reportsOfUsage(request_id: string): string[] {
  const lines = scene.gateway.log().split("\n");
  return lines.filter((line) => line.includes(request_id) && line.includes("cannot be believed"));
}

describe("a vendor's message about the operator is not passed on", () => {
  test.concurrent.each(rows.secrets)("$name, $style.endpoint, $how", async (row) => {
    const response = await scene.call(row.style, key, row.model, { stream: row.stream });
    const text = await response.text();
    expect(text).toContain("Simulated failure");
    for (const secret of [SECRET, "org-simulated0123456789", key.key]) expect(text).not.toContain(secret);
  });

  test.concurrent.each(rows.unmarked)(
    "$name of a vendor with a key like a word, $style.endpoint, $how",
    async (row) => {
      const response = await scene.call(row.style, key, row.model, { stream: row.stream });
      const text = await response.text();
      expect(text).toContain("Simulated failure");
      expect(text).not.toContain(UNMARKED_SECRET);
    },
  );

  test("a redirect is not followed, so the credential goes nowhere else", () => {
    expect(scene.simulator.log.requests.filter(({ path }) => path.startsWith("/redirected"))).toEqual([]);
  });
});

test("no hold is left at the end", async () => {
  expect((await scene.wallet(key)).uncollected_micro).toBe(0);
});
