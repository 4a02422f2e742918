import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { join } from "node:path";
import { countTokens } from "gpt-tokenizer/encoding/o200k_base";
import type { TestKey } from "../../support/gateway.ts";
import { SHAPES } from "../decisions/support/questions.ts";
import { ClientStream } from "./support/client-stream.ts";
import { CELLS, type Cell, POLICIES, TOKENS, upstreamOf } from "./support/ending-cells.ts";
import { BEGIN, END, endingTable } from "./support/ending-table.ts";
import { eventually, type ModelOptions, type Receipt, type Scene, startScene } from "./support/scene.ts";
import { gemini, STYLES, type Style } from "./support/styles.ts";

/** Every cell of the failure policy (docs/rulings.md 24), made to happen over HTTP by a vendor that misbehaves. */

interface Row extends Cell {
  readonly title: string;
  readonly endpoint: string;
  /** Null for decisions. */
  readonly style: Style | null;
  readonly path: string;
  readonly body: object;
  readonly model: string;
  /** The vendor's name for the model, by which its log finds the request. */
  readonly upstream: string;
}

const models: Record<string, ModelOptions> = {};

const ROWS: readonly Row[] = CELLS.flatMap((cell) =>
  cell.how === "decision"
    ? Object.entries(SHAPES).map(([endpoint, { path, body }]) =>
        rowOf(cell, { endpoint, style: null, path: () => path, body }),
      )
    : STYLES.filter((style) => !hasNoMoment(style, cell)).map((style) => {
        const asked = { stream: cell.how !== "whole", cap: 1000 };
        const body = (model: string) => style.body(model, asked);
        return rowOf(cell, { endpoint: style.endpoint, style, path: (model) => style.path(model, asked), body });
      }),
);

/** A stream of Gemini's has no frame before its content, at which a client could leave. */
function hasNoMoment(style: Style, { how, mishap }: Cell): boolean {
  return style === gemini && how !== "whole" && mishap.phase === "opened" && mishap.cause === "client_left";
}

interface Endpoint extends Pick<Row, "endpoint" | "style"> {
  path(model: string): string;
  body(model: string): object;
}

/** Each row has a model of its own, also at the vendor, so that no circuit that one row opens refuses another. */
function rowOf(cell: Cell, { body, path, ...endpoint }: Endpoint): Row {
  const { how, mishap, policy } = cell;
  const title = `${mishap.name}: ${endpoint.endpoint}, ${how}, ${policy}`;
  const vendor = `${policy}${how === "decision" ? "-deciding" : ""}${mishap.vendor === undefined ? "" : `-${mishap.vendor}`}`;
  const model = `${vendor}/${title.replaceAll(/[^\w]+/g, "-").toLowerCase()}`;
  const name = upstreamOf(cell);
  const upstream = `${name}${name.includes("@") ? "&" : "@"}case=${model.replace("/", "-")}`;
  models[model] = {
    upstream_model: upstream,
    ...(how === "decision" && { kind: "decision", price: { input: "1.00" } }),
    ...(how === "streamed, hidden" && { capabilities: { thinking: true } }),
  };
  return { ...cell, ...endpoint, title, path: path(model), body: body(model), model, upstream };
}

const VENDORS = Object.fromEntries(
  POLICIES.flatMap((on_disconnect) =>
    ["", "-deciding"].flatMap((deciding) => {
      const vendor = { on_disconnect, ...(deciding && { protocol: ["decisions", "systemone"] }) };
      return [
        [`${on_disconnect}${deciding}`, vendor],
        [`${on_disconnect}${deciding}-hasty`, { ...vendor, timeouts: { first_byte: "400ms", idle: "400ms" } }],
        // Its content comes first, also where the machine is busy.
        [`${on_disconnect}${deciding}-hushed`, { ...vendor, timeouts: { idle: "400ms" } }],
        // Nothing listens on port 9 (discard).
        [`${on_disconnect}${deciding}-gone`, { ...vendor, base_url: "http://127.0.0.1:9/v1" }],
      ];
    }),
  ),
);

let scene: Scene;
let key: TestKey;

beforeAll(async () => {
  scene = await startScene({ models, vendors: VENDORS });
  key = await scene.newKey({ credit: "1000" });
});

afterAll(async () => {
  await scene[Symbol.asyncDispose]();
});

function post(row: Row, signal: AbortSignal, id: string): Promise<Response> {
  return fetch(scene.gateway.url + row.path, {
    method: "POST",
    headers: { authorization: `Bearer ${key.key}`, "anthropic-version": "2023-06-01", "x-request-id": id },
    body: JSON.stringify(row.body),
    signal,
  });
}

function vendorRecord({ upstream }: Row) {
  return scene.simulator.log.requests.find(({ model }) => model === upstream) ?? null;
}

/** What the client has seen of an answer. */
interface Seen {
  readonly status: number | null;
  readonly stream: ClientStream | null;
}

/** Asks, and reads the answer to its end. */
async function askOut(row: Row, id: string): Promise<Seen> {
  const response = await post(row, new AbortController().signal, id);
  const { style, how } = row;
  if (style === null || how === "whole") {
    await response.arrayBuffer();
    return { status: response.status, stream: null };
  }
  const stream = await new ClientStream(style, response, new AbortController()).finish();
  return { status: response.status, stream };
}

/** Asks, and leaves in the phase of the row. */
async function askAndLeave(row: Row, id: string): Promise<Seen> {
  const leaving = new AbortController();
  const answer = post(row, leaving.signal, id);
  const caught = answer.catch(() => null);
  const { phase } = row.mishap;
  const record = await eventually("the vendor's request", async () => vendorRecord(row));
  if (phase !== "begun" || row.style === null || row.how === "whole") {
    if (phase !== "asked") {
      // Of a stream these are the opening frames, which the gateway holds back (docs/rulings.md 9).
      await eventually("a part of the body", async () => (record.bytes_written > 0 ? true : null));
      // The bytes need a moment on their way to the gateway.
      await Bun.sleep(100);
    }
    leaving.abort();
    await caught;
    return { status: null, stream: null };
  }
  const stream = new ClientStream(row.style, await answer, leaving);
  await stream.until(({ text }) => text.length >= 4);
  stream.leave();
  return { status: stream.status, stream };
}

function expectCharged({ charged, mishap, how }: Row, receipt: Receipt, { stream }: Seen): void {
  const left = mishap.cause === "client_left";
  if (charged === "nothing") {
    expect(receipt).toMatchObject({ status: "voided", charge_micro: 0, usage: null, operator_loss_micro: 0 });
    return;
  }
  expect(receipt.status).toBe("settled");
  const { input_tokens = 0, output_tokens = 0 } = receipt.usage ?? {};
  expect(input_tokens).toBeGreaterThan(0);
  expect(receipt.charge_micro).toBe(input_tokens + output_tokens * 4);
  if (charged === "usage") {
    expect([receipt.estimated, output_tokens]).toEqual([false, how === "decision" ? 0 : TOKENS]);
    return;
  }
  expect(receipt.estimated).toBe(true);
  if (mishap.phase !== "begun") expect(output_tokens).toBe(0);
  else if (left) expect(output_tokens).toBeGreaterThanOrEqual(countTokens(stream?.text ?? ""));
  else expect(output_tokens).toBe(countTokens(stream?.text ?? ""));
}

function expectTold({ mishap }: Row, { status, stream }: Seen): void {
  if (mishap.cause === "client_left") return;
  if (mishap.phase === "begun") {
    expect([status, stream?.ending, stream?.broken_law]).toEqual([200, "failed", null]);
    expect(stream?.text.length).toBeGreaterThan(0);
  } else {
    expect([502, 503]).toContain(status ?? 0);
  }
}

let asked = 0;

describe("each case ends as the table says", () => {
  test.concurrent.each(ROWS as Row[])("$title: $charged", async (row) => {
    asked += 1;
    const id = `ending-${asked}`;
    const left = row.mishap.cause === "client_left";
    const seen = left ? await askAndLeave(row, id) : await askOut(row, id);
    const receipt = await scene.ended(id);
    expectTold(row, seen);
    expectCharged(row, receipt, seen);
    if (left) expect(receipt.error).toBeNull();
    else expect(receipt.error).not.toBeNull();
    const record = vendorRecord(row);
    if (record === null) return expect(row.mishap.vendor).toBe("gone");
    const { aborted, finished } = await record.ended;
    if (left)
      expect({ aborted, finished }).toEqual({ aborted: row.charged !== "usage", finished: row.charged === "usage" });
  });
});

test("no hold is left at the end", async () => {
  expect((await scene.wallet(key)).uncollected_micro).toBe(0);
});

test("docs/billing.md shows this table", async () => {
  const path = join(import.meta.dir, "../../../docs/billing.md");
  const page = await Bun.file(path).text();
  const begin = page.indexOf(BEGIN);
  const end = page.indexOf(END) + END.length;
  expect(begin).toBeGreaterThan(0);
  const written = page.slice(0, begin) + endingTable() + page.slice(end);
  if (process.env.WRITE_DOCS === "1") await Bun.write(path, written);
  // To write the table again: WRITE_DOCS=1 npm test -- proofs/suites/failures/every-ending
  else expect(page).toBe(written);
});
