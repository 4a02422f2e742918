import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import type { ErrorCode } from "../../../src/core/errors.ts";
import { ERRORS } from "../../../src/core/errors.ts";
import type { TestKey } from "../../support/gateway.ts";
import { eventually, type ModelOptions, type Receipt, type Scene, startScene } from "./support/scene.ts";
import { STYLES, type Style } from "./support/styles.ts";
import { errorIn, toldError } from "./support/told-error.ts";

/** Failures on the way through a translation: clients of one style, a vendor that speaks another. */

const FAILURES: readonly [upstream_model: string, told: ErrorCode | "bad"][] = [
  ["fail-400", "bad"],
  ["fail-401", "provider_error"],
  ["fail-404", "model_unavailable"],
  ["fail-429", "provider_rate_limited"],
  ["fail-500", "provider_error"],
  ["html-200", "provider_error"],
  ["empty-200", "provider_error"],
  ["cut-headers", "provider_error"],
  ["error-first", "model_unavailable"],
  ["error-first@status=500", "provider_error"],
];
const BROKEN_MID = ["cut-mid", "error-mid", "end-mid", "bad-json"];
const BROKEN_OPENING = ["cut-before-content", "huge-line"];
const ESTIMATED = ["no-usage", "usage-negative", "usage-huge"];
const LONG = "long@tokens=20000&piece=5&fault=one-chunk";
const TOKENS = 20;

const models: Record<string, ModelOptions> = {};

interface Case {
  /** The client's style. */
  readonly style: Style;
  /** The vendor's protocol. */
  readonly spoken: string;
  readonly stream: boolean;
  readonly how: string;
  readonly model: string;
  readonly upstream: string;
}

const pairs = STYLES.flatMap((style) =>
  STYLES.filter((other) => other !== style).map((other) => ({ style, spoken: other.protocol })),
);

function cases(upstream_model: string, streams: readonly boolean[] = [false, true], vendor = ""): Case[] {
  return pairs.flatMap(({ style, spoken }) =>
    streams.map((stream) => {
      const how = stream ? "streamed" : "whole";
      const name = `${upstream_model.replaceAll(/[^\w-]+/g, "-")}-${style.protocol}-${how}`;
      const model = `${vendor}${spoken}/${name}`;
      const upstream = `${upstream_model}${upstream_model.includes("@") ? "&" : "@"}case=${model.replaceAll("/", "-")}`;
      models[model] = { upstream_model: upstream };
      return { style, spoken, stream, how, model, upstream };
    }),
  );
}

const rows = {
  before: FAILURES.flatMap(([name, told]) => cases(name).map((each) => ({ ...each, name, told }))),
  opening: BROKEN_OPENING.flatMap((name) => cases(name, [true]).map((each) => ({ ...each, name }))),
  mid: BROKEN_MID.flatMap((name) => cases(name, [true]).map((each) => ({ ...each, name }))),
  estimated: ESTIMATED.flatMap((name) => cases(name).map((each) => ({ ...each, name }))),
  left: cases(`long@tokens=${TOKENS}&fault=stall-mid&after=10`, [true]),
  drained: cases(`long@tokens=${TOKENS}&ms=10`, [true], "drain-"),
  cut: cases(LONG, [true]).filter(({ style }) => style.endpoint !== "messages"),
  fine: cases("echo"),
};

let scene: Scene;
let key: TestKey;

beforeAll(async () => {
  const vendors = STYLES.flatMap(({ protocol }) => [
    [protocol, { protocol }],
    [`drain-${protocol}`, { protocol, on_disconnect: "drain" }],
  ]);
  scene = await startScene({ models, vendors: Object.fromEntries(vendors) });
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

const idOf = (response: Response): string => response.headers.get("x-camino-request-id") ?? "";

function expectAtPrice({ usage, charge_micro }: Receipt): void {
  expect(charge_micro).toBe((usage?.input_tokens ?? 0) + (usage?.output_tokens ?? 0) * 4);
  expect(usage?.output_tokens).toBeGreaterThan(0);
}

test.concurrent.each(rows.before)("$name, $style.endpoint by $spoken, $how: $told", async (row) => {
  const response = await scene.call(row.style, key, row.model, { stream: row.stream });
  const code = row.told === "bad" ? BAD_REQUEST[row.style.endpoint] : row.told;
  const told = toldError(row.style, await response.json());
  expect([response.status, told]).toEqual([ERRORS[code].status, errorIn(row.style, code)]);
  const receipt = await scene.ended(idOf(response));
  expect(receipt).toMatchObject({ status: "voided", error: code, charge_micro: 0 });
});

describe("a stream that breaks", () => {
  test.concurrent.each(rows.opening)("$name, $style.endpoint by $spoken: free", async (row) => {
    const stream = await scene.stream(row.style, key, row.model);
    await stream.finish();
    // A translation may find the failure before it sends its first frame; then the status reports it.
    if (stream.status === 200) expect([stream.text, stream.ending, stream.broken_law]).toEqual(["", "failed", null]);
    else expect(stream.status).toBe(502);
    expect(await scene.ended(stream.request_id)).toMatchObject({ status: "voided", charge_micro: 0 });
  });

  test.concurrent.each(rows.mid)("$name, $style.endpoint by $spoken: the delivered part is charged", async (row) => {
    const stream = await (await scene.stream(row.style, key, row.model)).finish();
    expect([stream.status, stream.ending, stream.broken_law]).toEqual([200, "failed", null]);
    expect(stream.text.length).toBeGreaterThan(0);
    const receipt = await scene.ended(stream.request_id);
    expect(receipt).toMatchObject({ status: "settled", estimated: true });
    expect(receipt.error).not.toBeNull();
    expectAtPrice(receipt);
  });
});

test.concurrent.each(rows.estimated)("$name, $style.endpoint by $spoken, $how: estimated", async (row) => {
  const response = await scene.call(row.style, key, row.model, { stream: row.stream });
  expect(response.status).toBe(200);
  await response.arrayBuffer();
  const receipt = await scene.ended(idOf(response));
  expect(receipt).toMatchObject({ status: "settled", estimated: true, error: null });
  expectAtPrice(receipt);
});

describe("a client that leaves", () => {
  test.concurrent.each(rows.left)("$style.endpoint by $spoken, policy abort", async (row) => {
    const stream = await scene.stream(row.style, key, row.model);
    await stream.until(({ text }) => text.length === 40);
    stream.leave();
    const receipt = await scene.ended(stream.request_id);
    expect(receipt).toMatchObject({ status: "settled", estimated: true });
    expectAtPrice(receipt);
    const seen = scene.simulator.log.requests.find(({ model }) => model === row.upstream);
    expect((await seen?.ended)?.aborted).toBe(true);
  });

  test.concurrent.each(rows.drained)("$style.endpoint by $spoken, policy drain", async (row) => {
    const stream = await scene.stream(row.style, key, row.model);
    await stream.until(({ text }) => text !== "");
    stream.leave();
    const receipt = await scene.ended(stream.request_id);
    expect(receipt).toMatchObject({ status: "settled", estimated: false });
    expect(receipt.usage?.output_tokens).toBe(TOKENS);
    expectAtPrice(receipt);
  });
});

test.concurrent.each(rows.cut)("$style.endpoint by $spoken: a small wallet cuts in good order", async (row) => {
  const credit_micro = 4096 * 4 + 1000;
  const poor = await scene.newKey({ credit: (credit_micro / 1_000_000).toFixed(6) });
  const stream = await (await scene.stream(row.style, poor, row.model)).finish();
  expect([stream.status, stream.ending, stream.broken_law]).toEqual([200, "length", null]);
  const receipt = await scene.ended(stream.request_id);
  expect(receipt).toMatchObject({ status: "settled", operator_loss_micro: 0, error: null });
  expectAtPrice(receipt);
  expect((await scene.wallet(poor)).balance_micro).toBe(credit_micro - receipt.charge_micro);
});

test.concurrent.each(rows.fine)(
  "$style.endpoint by $spoken, $how: an answer is billed as the vendor says",
  async (row) => {
    const response = await scene.call(row.style, key, row.model, { stream: row.stream });
    expect(response.status).toBe(200);
    expect(await response.text()).toContain("Simulated");
    const receipt = await scene.ended(idOf(response));
    expect(receipt).toMatchObject({ status: "settled", estimated: false, error: null });
    expectAtPrice(receipt);
  },
);

test("no hold is left at the end", async () => {
  await eventually("the end of all holds", async () =>
    (await scene.wallet(key)).uncollected_micro === 0 ? true : null,
  );
});
