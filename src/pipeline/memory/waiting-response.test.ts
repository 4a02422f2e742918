import { heapStats } from "bun:jsc";
import { expect, test } from "bun:test";
import { ResponseCipher } from "../../access/response-cipher.ts";
import { deriveSubKeys } from "../../access/sub-keys.ts";
import { responses } from "../../protocols/responses/client.ts";
import { sentItems } from "../../protocols/responses/references.ts";
import type { KeptAnswer } from "./kept-answer.ts";
import { WaitingResponse } from "./waiting-response.ts";

const MIB = 2 ** 20;
const cipher = new ResponseCipher(deriveSubKeys("a root secret for tests"));

/** Bytes of live objects and of the memory that they hold outside of the heap. */
function live_bytes(): number {
  Bun.gc(true);
  const { heapSize, extraMemorySize } = heapStats();
  return heapSize + extraMemorySize;
}

/** A response to a request of a megabyte, of which only the input is kept. */
function waiting(number: number): WaitingResponse {
  const input = [{ type: "message", role: "user", content: [{ type: "input_text", text: `é ${number}` }] }];
  const body = JSON.stringify({ model: "m", input, instructions: `${number} ${"x".repeat(MIB)}` });
  const sent = sentItems(responses.readRequest(Buffer.from(body).toString(), { get: () => null }));
  const answer: KeptAnswer = {
    ...{ account_id: "acct_1", vendor: "acme", previous_response_id: null, used_keys: [] },
    ...{ sent, body: "{}", is_stream: false },
  };
  const response = { id: `resp_${number}`, item_ids: [], output: [], output_json: "[]", rest: {}, rest_json: "{}" };
  return new WaitingResponse(cipher, answer, response, 0);
}

test("a response that waits to be written keeps what was sent of its input, and nothing else of the request", () => {
  const kept: WaitingResponse[] = [waiting(0)];
  const before = live_bytes();
  for (let number = 1; number <= 30; number += 1) kept.push(waiting(number));
  expect(live_bytes() - before).toBeLessThan(4 * MIB);
  for (const [number, { sent, bytes }] of kept.entries()) {
    expect(JSON.parse(sent.text)).toEqual(sent.items);
    expect(sent.text).toContain(`é ${number}`);
    expect(bytes).toBeLessThan(200);
  }
});
