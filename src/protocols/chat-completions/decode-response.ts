import type { DecodedAnswer } from "../../core/codec.ts";
import type { WholeBody } from "../../core/exchange.ts";
import type { GenerationRequest } from "../../core/generation.ts";
import { textOf } from "../../core/sent-body.ts";
import type { ErrorEvent } from "../../core/stream-event.ts";
import { ChunkEvents } from "./chunk-events.ts";
import { parseChunk } from "./inspect-chunk.ts";

/** Decodes a completion that arrived whole. A body that is no answer becomes an `error` event; never throws. */
export function decodeResponse(body: WholeBody, request: GenerationRequest): DecodedAnswer {
  const completion = parseChunk(textOf(body));
  if (completion === null) return failed("The model service's answer is not a JSON object.");
  const chunks = new ChunkEvents(request);
  chunks.take(completion);
  chunks.finish();
  return { events: chunks.drain(), rejected_usage: chunks.rejected_usage };
}

function failed(message: string): DecodedAnswer {
  const error: ErrorEvent = { type: "error", status: 502, message, retry_after_ms: null };
  return { events: [error], rejected_usage: null };
}
