import { afterAll, beforeAll, expect, test } from "bun:test";
import { join } from "node:path";
import { type Simulator, startSimulator } from "../../../simulator/server.ts";
import { soundOf } from "../../../simulator/sound/sound.ts";
import { residentBytes } from "../../bench/process-meter.ts";
import { type Gateway, startGateway } from "../../support/gateway.ts";
import { endedReceipt } from "../../support/receipts.ts";

/**
 * Files that are being transcribed take no more memory together than there is room for, whoever sends them (docs/rulings.md 152, 228). The gateway
 * thinks that it has 64 MiB: 32 for the files that have come, 16 for those that are on their way.
 */

const MIB = 2 ** 20;
const [FILES, ACCOUNTS] = [100, 5];
const WAV = Buffer.concat(soundOf({ text: "hour ".repeat(430).trim(), format: "wav", events: false }));
const ROOM_BYTES = (32 + 16) * MIB;
/** What a gateway may grow beside its files: mostly files whose requests have ended or were refused, until the collector comes. */
const BESIDE_BYTES = 152 * MIB;

let simulator: Simulator;
let gateway: Gateway;

beforeAll(async () => {
  simulator = await startSimulator();
  const chat = { protocol: "chat-completions", base_url: simulator.base_url, api_key: "k" };
  const model = { kind: "transcription", price: { input_minutes: "0.006" } };
  gateway = await startGateway({
    config: JSON.stringify({
      catalog: "none",
      vendors: { chat },
      models: {
        "chat/listen": { ...model, upstream_model: "listen" },
        "chat/slow": { ...model, upstream_model: "listen@first_ms=1500" },
      },
      limits: { body: "6MiB", default_key: { rpm: 100_000, concurrent: 1000 } },
    }),
    program: join(import.meta.dir, "support/small-machine.ts"),
  });
});

afterAll(async () => {
  await gateway[Symbol.asyncDispose]();
  await simulator.stop();
});

/** Sends a file: the id of its request, or null where there is no room for it now. */
async function transcribe(key: string, model: string): Promise<string | null> {
  const form = new FormData();
  form.append("model", model);
  form.append("file", new File([WAV], "speech.wav", { type: "audio/wav" }));
  const headers = { authorization: `Bearer ${key}` };
  const answer = await fetch(`${gateway.url}/v1/audio/transcriptions`, { method: "POST", headers, body: form });
  const body = await answer.text();
  if (answer.status === 200) return answer.headers.get("x-camino-request-id");
  expect([answer.status, body]).toEqual([503, expect.stringContaining("model_unavailable")]);
  expect(Number(answer.headers.get("retry-after"))).toBeGreaterThanOrEqual(1);
  return null;
}

/** The most memory that the gateway has until the work is done. */
async function mostDuring(work: Promise<unknown>): Promise<number> {
  let is_done = false;
  const done = work.finally(() => {
    is_done = true;
  });
  let most = 0;
  while (!is_done) {
    most = Math.max(most, residentBytes(gateway.pid));
    await Bun.sleep(10);
  }
  await done;
  return most;
}

test("of a hundred files of 5 MB at once are written down as many as there is room for, and the others refused with a time", async () => {
  const keys = await Promise.all(
    Array.from({ length: ACCOUNTS }, async () => (await gateway.newKey({ credit: "100" })).key),
  );
  const keyOf = (file: number): string => keys[file % ACCOUNTS] ?? "";
  // What the first files have compiled and opened stays.
  for (let file = 0; file < 6; file += 1) await transcribe(keyOf(0), "chat/listen");
  const before = residentBytes(gateway.pid);
  const sending = Promise.all(Array.from({ length: FILES }, (_, file) => transcribe(keyOf(file), "chat/slow")));
  const most = await mostDuring(sending);
  const sent = await sending;
  expect(most - before).toBeLessThan(ROOM_BYTES + BESIDE_BYTES);
  // They have more than twice that.
  expect(FILES * WAV.length).toBeGreaterThan(2 * (ROOM_BYTES + BESIDE_BYTES));
  const charge = Math.ceil((Math.ceil(430 * 0.25) * 6000) / 60);
  const written = sent.flatMap((request_id, file) => (request_id === null ? [] : [{ request_id, file }]));
  expect(written.length).toBeWithin(1, FILES);
  for (const { request_id, file } of written)
    expect(await endedReceipt(gateway, keyOf(file), request_id)).toMatchObject({
      status: "settled",
      charge_micro: charge,
    });
  // The room is free again.
  for (let file = 0; file < 6; file += 1) expect(await transcribe(keyOf(0), "chat/listen")).not.toBeNull();
}, 120_000);
