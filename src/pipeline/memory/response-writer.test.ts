import { heapStats } from "bun:jsc";
import { expect, test } from "bun:test";
import { ResponseCipher } from "../../access/response-cipher.ts";
import { deriveSubKeys } from "../../access/sub-keys.ts";
import type { ResponseStore } from "../../core/answer/stored-responses.ts";
import { systemClock } from "../../core/clock.ts";
import type { Log } from "../../observe/log.ts";
import { Metrics } from "../../observe/metrics.ts";
import { responses } from "../../protocols/responses/client.ts";
import { sentItems } from "../../protocols/responses/references.ts";
import { ResponseWriter } from "./response-writer.ts";
import { WaitingResponse } from "./waiting-response.ts";

const cipher = new ResponseCipher(deriveSubKeys("a root secret for tests"));
const SILENT = { error: () => {}, warn: () => {} } as unknown as Log;

function open(write_after_ms: number) {
  let put = 0;
  const store = {
    put: async (rows: readonly unknown[]) => {
      put += rows.length;
    },
    removeExpired: async () => 0,
  } as unknown as ResponseStore;
  const deps = { store, cipher, keep_ms: 3_600_000, write_after_ms, clock: systemClock, log: SILENT };
  return { writer: new ResponseWriter({ ...deps, metrics: new Metrics() }), written: () => put };
}

function waiting(number: number): WaitingResponse {
  const sent = sentItems(responses.readRequest('{"model":"m","input":"hello"}', { get: () => null }));
  const response = { id: `resp_${number}`, item_ids: [], output: [], output_json: "[]", rest: {}, rest_json: "{}" };
  const answer = { account_id: "acct_1", vendor: "acme", previous_response_id: null, used_keys: [] };
  return new WaitingResponse(cipher, { ...answer, sent, body: "{}", is_stream: false }, response, 0);
}

function livePromises(): number {
  Bun.gc(true);
  return heapStats().objectTypeCounts.Promise ?? 0;
}

test("pauses between writes leave nothing behind", async () => {
  const { writer, written } = open(0);
  const write = async (number: number): Promise<void> => {
    writer.add(waiting(number));
    while (writer.size > 0) await Bun.sleep(0);
  };
  await write(0);
  const before = livePromises();
  for (let number = 1; number <= 300; number += 1) await write(number);
  expect(written()).toBe(301);
  expect(livePromises() - before).toBeLessThan(100);
  await writer.close(1000);
}, 60_000);

test("the end does not wait for a pause, and writes what waits", async () => {
  const { writer, written } = open(3_600_000);
  writer.add(waiting(0));
  await writer.close(3_600_000);
  expect(written()).toBe(1);
  writer.add(waiting(1));
  expect(writer.size).toBe(1);
}, 60_000);
