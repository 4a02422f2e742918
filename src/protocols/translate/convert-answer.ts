import type { AnswerContext, ClientCodec, VendorCodec } from "../../core/answer/codec.ts";
import type { AnswerConverter, ConvertedFor } from "../../core/answer/exchange.ts";
import { bytesOf } from "../../core/answer/sent-body.ts";
import type { StreamEvent } from "../../core/answer/stream-event.ts";
import { systemClock } from "../../core/clock.ts";
import { totalInput } from "../../core/money/usage.ts";
import { TranslatedStream } from "./translated-stream.ts";
import { translateWhole } from "./translated-whole.ts";

/** None: the values of the vendor have the names already by which clients of this protocol know them. */
const NO_PASSES = { passes: [], stop: null };

/**
 * Makes the other form of an answer that a client of a protocol got, through the neutral events: a stream out of a whole answer, and a
 * whole answer out of a stream (docs/rulings.md 183). What a client's codec cannot read gives null.
 */
export function convertAnswer(client: ClientCodec, vendor: VendorCodec): AnswerConverter {
  return {
    toStream(body, about) {
      const { target } = about;
      const context = contextOf(client, about);
      if (context === null) return null;
      const { events, rejected_usage } = vendor.decodeWhole(body, target, context.request);
      if (events.at(-1)?.type !== "finish") return null;
      const decoder = { push: () => events, end: () => [], rejected_usage, usage: about.usage };
      const stream = new TranslatedStream(decoder, client.openEncoder(context), NO_PASSES);
      const content = stream.push(body);
      if (!stream.complete) return null;
      return Buffer.concat([content, stream.finish(about.usage, about.cost)]);
    },
    toWhole(body, about) {
      const { target } = about;
      const context = contextOf(client, about);
      if (context === null) return null;
      const decoder = vendor.openDecoder(target, context.request);
      const events = untilFinish([...decoder.push(body), ...decoder.end()]);
      const answer = translateWhole({ events, rejected_usage: null }, NO_PASSES, client, context);
      if (answer.failure !== null) return null;
      return bytesOf(answer.bodyWith?.(about.usage, about.cost) ?? answer.body);
    },
  };
}

function untilFinish(events: readonly StreamEvent[]): readonly StreamEvent[] {
  const end = events.findIndex(({ type }) => type === "finish");
  return end === -1 ? events : events.slice(0, end + 1);
}

function contextOf(client: ClientCodec, { request, target, usage }: ConvertedFor): AnswerContext | null {
  if (request.choices > 1) return null;
  return {
    model: target.model.id,
    request: client.decodeRequest(request),
    body: request.body,
    ...(request.memory && { memory: request.memory }),
    input_estimate_tokens: totalInput(usage),
    created: Math.floor(systemClock.now_ms() / 1000),
  };
}
