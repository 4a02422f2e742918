import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { soundOf } from "../../../simulator/sound/sound.ts";
import { ASKED_IN } from "../../../src/catalog/vendors/asked-in.ts";
import type { ModelKind } from "../../../src/core/catalog/catalog.ts";
import { BILLED_ENDPOINTS, type BilledEndpoint, PROTOCOLS, type Protocol } from "../../../src/core/endpoints.ts";
import { UNIT_NAMES } from "../../../src/core/money/price-classes.ts";
import { adapterBetween, clientProtocols, decisionProtocols, modelProtocols } from "../../../src/main/protocols.ts";
import { type Gateway, startGateway, type TestKey } from "../../support/gateway.ts";
import { freshDatabase } from "../../support/postgres.ts";
import { endedReceipt } from "../../support/receipts.ts";
import type { ChargeRow, Form } from "./support/charge-rows.ts";
import { CONVERSATIONS } from "./support/conversation-charges.ts";
import { MEDIA } from "./support/media-charges.ts";
import { MODELS } from "./support/model-charges.ts";
import { ENDINGS, type Ending, StagedVendor } from "./support/staged-vendor.ts";

/**
 * Every endpoint at every protocol of vendors, whole and streamed, in every unit that is charged: the exact charge, nothing where the vendor
 * fails, and the same where its client leaves a vendor that is read to its end (docs/billing.md).
 */

const FILES: Readonly<Record<NonNullable<ChargeRow["form_file"]>, File>> = {
  file: new File(soundOf({ text: "one two three four five six", format: "wav", events: false }), "speech.wav"),
  image: new File(
    [
      Uint8Array.fromBase64(
        "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==",
      ),
    ],
    "one.png",
    { type: "image/png" },
  ),
};

const ROWS = [...CONVERSATIONS, ...MODELS, ...MEDIA];

const BOTH: readonly Form[] = ["whole", "stream"];
/** The forms in which each endpoint answers. */
const FORMS: Readonly<Record<BilledEndpoint, readonly Form[]>> = {
  ...{ "chat.completions": BOTH, responses: BOTH, messages: BOTH, generateContent: BOTH, completions: BOTH },
  ...{ "images.generations": BOTH, "images.edits": BOTH, "audio.transcriptions": BOTH },
  "audio.speech": ["stream"],
  ...{ embeddings: ["whole"], rerank: ["whole"], moderations: ["whole"], "responses.compact": ["whole"] },
  ...{ "audio.translations": ["whole"], decisions: ["whole"], systemone: ["whole"] },
};

/** The protocols of vendors that can be asked for an endpoint. */
function reachedBy(endpoint: BilledEndpoint): readonly string[] {
  if (endpoint in decisionProtocols) return [...ASKED_IN.decision.protocols];
  const clients: Readonly<Record<string, { readonly protocol: Protocol; readonly kind?: ModelKind }>> = {
    ...clientProtocols,
    ...modelProtocols,
  };
  const { protocol, kind = "chat" } = clients[endpoint] ?? { protocol: "chat-completions" };
  return PROTOCOLS.filter((each) => ASKED_IN[kind].protocols.has(each) && adapterBetween(protocol, each) !== null);
}

const NEEDED = BILLED_ENDPOINTS.flatMap((endpoint) =>
  reachedBy(endpoint).flatMap((protocol) => FORMS[endpoint].map((form) => ({ endpoint, protocol, form }))),
);

test.each(NEEDED)("$endpoint has a row at $protocol, $form", (needed) => {
  expect(ROWS.filter((row) => row.endpoint === needed.endpoint)).toContainEqual(expect.objectContaining(needed));
});

test.each(UNIT_NAMES)("%s have a row in each form in which they are charged", (unit) => {
  const rows = ROWS.filter(({ model }) => "price" in model && Object.hasOwn(model.price as object, unit));
  const endpoints = new Set(rows.map(({ endpoint }) => endpoint));
  expect(endpoints.size).toBeGreaterThan(0);
  for (const endpoint of endpoints)
    expect(rows.filter((row) => row.endpoint === endpoint).map(({ form }) => form)).toContain(
      FORMS[endpoint].at(-1) ?? "whole",
    );
});

let vendor: StagedVendor;
let gateway: Gateway;
let key: TestKey;

function configuration(url: string): string {
  const all = ROWS.flatMap((row, number) => ENDINGS.map((ending) => ({ row, number, ending })));
  return JSON.stringify({
    catalog: "none",
    vendors: Object.fromEntries(
      all.map(({ row: { protocol, vendor: more }, number, ending }) => [
        idOf(number, ending),
        {
          base_url: `${url}/${number}/${encodeURIComponent(ending)}`,
          ...{ api_key: "sk-vendor-0123456789", protocol, ...more },
        },
      ]),
    ),
    models: Object.fromEntries(
      all.map(({ row, number, ending }) => [`${idOf(number, ending)}/m`, { upstream_model: "m", ...row.model }]),
    ),
  });
}

function idOf(number: number, ending: Ending): string {
  return `v${number}-${ENDINGS.indexOf(ending)}`;
}

interface Asking {
  readonly id: string;
  readonly signal?: AbortSignal;
}

function ask(row: ChargeRow, model: string, { id, signal }: Asking): Promise<Response> {
  const path = row.path?.(model) ?? `/v1/${row.endpoint.replaceAll(".", "/")}`;
  const asStyle =
    row.endpoint === "generateContent" ? { "x-goog-api-key": key.key } : { authorization: `Bearer ${key.key}` };
  return fetch(gateway.url + path, {
    method: "POST",
    headers: { ...asStyle, "x-request-id": id, "anthropic-version": "2023-06-01" },
    body: bodyOf(row, model),
    ...(signal !== undefined && { signal }),
  });
}

function bodyOf({ body, path, form_file }: ChargeRow, model: string): string | FormData {
  if (form_file === undefined) return JSON.stringify(path === undefined ? { model, ...body } : body);
  const fields = new FormData();
  for (const [name, value] of Object.entries({ model, ...body })) fields.append(name, String(value));
  fields.append(form_file, FILES[form_file]);
  return fields;
}

const receiptOf = (id: string) => endedReceipt(gateway, key.key, id);

describe.each(["SQLite", "PostgreSQL"])("on %s", (database) => {
  beforeAll(async () => {
    vendor = new StagedVendor(ROWS.map(({ stage }) => stage));
    const config = configuration(await vendor.listen());
    gateway = await startGateway({ config, ...(database === "PostgreSQL" && { database: await freshDatabase() }) });
    key = await gateway.newKey({ credit: "1000", rpm: 100_000 });
  });
  afterAll(async () => {
    await gateway[Symbol.asyncDispose]();
    await vendor[Symbol.asyncDispose]();
  });

  const cases = ROWS.map((row, number) => ({
    ...{ row, number, charge_micro: row.charge_micro },
    name: `${row.endpoint} at ${row.protocol}, ${row.form}, ${row.unit}`,
  }));

  test.each(cases)("$name: $charge_micro micro units", async ({ row, number, charge_micro }) => {
    const id = crypto.randomUUID();
    const answer = await ask(row, `${idOf(number, "answers")}/m`, { id });
    const text = await answer.text();
    expect([answer.status, answer.status === 200 ? "" : text]).toEqual([200, ""]);
    expect(await receiptOf(id)).toMatchObject({ status: "settled", estimated: false, charge_micro });
  });

  test.each(cases)("$name: nothing of a vendor that fails or whose answer never begins", async ({ row, number }) => {
    for (const ending of ["fails", "is cut"] as const) {
      const id = crypto.randomUUID();
      const answer = await ask(row, `${idOf(number, ending)}/m`, { id });
      await answer.text();
      expect(answer.status).toBe(502);
      expect(await receiptOf(id)).toMatchObject({ status: "voided", charge_micro: 0 });
    }
  });

  test.each(cases)("$name: $charge_micro of a client that leaves", async ({ row, number, charge_micro }) => {
    const id = crypto.randomUUID();
    const leaving = new AbortController();
    const asked = ask(row, `${idOf(number, "waits")}/m`, { id, signal: leaving.signal });
    await vendor.waits(number);
    if (row.stage.pieces.length > 1) await (await asked).body?.getReader().read();
    leaving.abort();
    await asked.catch(() => null);
    // The gateway learns that its client has left before the vendor goes on, where it is quick enough; the charge is the same otherwise.
    await Bun.sleep(20);
    vendor.goOn(number);
    expect(await receiptOf(id)).toMatchObject({ status: "settled", charge_micro });
  });
});
