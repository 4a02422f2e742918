import { bytesOf } from "../../../src/core/answer/sent-body.ts";
import { GatewayError } from "../../../src/core/errors.ts";
import type { Usage } from "../../../src/core/money/usage.ts";
import { exchangeAt, type WayAt } from "../targets/ways.ts";
import type { Answered } from "./sdk-readers.ts";

const BILLED: Usage = {
  input_tokens: 3,
  cache_read_tokens: 0,
  cache_write_tokens: 0,
  output_tokens: 2,
  reasoning_tokens: 0,
};

/** The answer that a client gets by a way for a vendor's stream, without a socket. */
export function streamedBy(way: WayAt, stream: Buffer): Answered {
  const answer = exchangeAt(way).openStream();
  const passed = Buffer.concat([Buffer.from(answer.push(stream)), Buffer.from(answer.end())]);
  const is_whole = answer.complete && answer.failure === null;
  if (!is_whole && !answer.has_content) return failed(answer.failure?.message ?? "it broke off");
  const error = new GatewayError("provider_error", answer.failure?.message ?? "The vendor broke off.");
  const last = is_whole ? answer.finish(BILLED) : answer.fail(error, "req_1");
  return { status: 200, body: Buffer.concat([passed, Buffer.from(last)]).toString(), is_stream: true };
}

/** The same for a body in one piece. */
export function wholeBy(way: WayAt, body: Buffer): Answered {
  const answer = exchangeAt(way).readWhole(body);
  if (answer.failure !== null) return { ...failed(answer.failure.message), is_stream: false };
  return { status: 200, body: bytesOf(answer.bodyWith?.(BILLED) ?? answer.body).toString(), is_stream: false };
}

function failed(message: string): Answered {
  const body = JSON.stringify({
    type: "error",
    error: { type: "provider_error", code: "provider_error", message, param: null },
  });
  return { status: 502, body, is_stream: true };
}
