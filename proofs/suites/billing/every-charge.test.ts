import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { soundOf } from "../../../simulator/sound/sound.ts";
import { type Gateway, startGateway, type TestKey } from "../../support/gateway.ts";
import { freshDatabase } from "../../support/postgres.ts";
import { endedReceipt } from "../../support/receipts.ts";
import { type ChargeRow, TOKENS } from "./support/charge-rows.ts";
import { OTHERS } from "./support/other-charge-rows.ts";
import { ENDINGS, type Ending, StagedVendor } from "./support/staged-vendor.ts";

/**
 * Every unit that is charged, at every protocol of vendors, whole and streamed: the exact charge, nothing where the vendor fails, and the same
 * where its client leaves a vendor that is read to its end (docs/billing.md).
 */

const WAV = new Uint8Array(
  Buffer.concat(soundOf({ text: "one two three four five six", format: "wav", events: false })),
);

const ROWS = [...TOKENS, ...OTHERS];

let vendor: StagedVendor;
let gateway: Gateway;
let key: TestKey;

function configuration(url: string): string {
  const all = ROWS.flatMap((row, number) => ENDINGS.map((ending) => ({ row, number, ending })));
  return JSON.stringify({
    catalog: "none",
    vendors: Object.fromEntries(
      all.map(({ row, number, ending }) => [
        idOf(number, ending),
        { base_url: `${url}/${number}/${encodeURIComponent(ending)}`, api_key: "sk-vendor-0123456789", ...row.vendor },
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

function ask({ path, body, form }: ChargeRow, model: string, { id, signal }: Asking): Promise<Response> {
  const fields = new FormData();
  if (form) for (const [name, value] of Object.entries({ model, ...body })) fields.append(name, String(value));
  if (form) fields.append("file", new Blob([WAV]), "speech.wav");
  return fetch(gateway.url + path, {
    method: "POST",
    headers: { authorization: `Bearer ${key.key}`, "x-request-id": id, "anthropic-version": "2023-06-01" },
    body: form ? fields : JSON.stringify({ model, ...body }),
    ...(signal !== undefined && { signal }),
  });
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

  const cases = ROWS.map((row, number) => ({ ...row, row, number }));

  test.each(cases)("$name: $charge_micro micro units", async ({ row, number, charge_micro }) => {
    const id = crypto.randomUUID();
    const answer = await ask(row, `${idOf(number, "answers")}/m`, { id });
    await answer.text();
    expect(answer.status).toBe(200);
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
