import type { AssembledAnswer } from "../../src/core/answer/answer.ts";
import type { StreamDecoder } from "../../src/core/answer/codec.ts";
import type { ErrorEvent, StreamEvent } from "../../src/core/answer/stream-event.ts";
import { type Usage, withoutServed } from "../../src/core/money/usage.ts";
import { EventOrder } from "../../src/protocols/translate/event-order.ts";
import { foldEvents } from "../../src/protocols/translate/fold-events.ts";

/** Feeds a vendor's stream in pieces of one size (the whole at once when null) and returns all events. */
export function decodeInPieces(decoder: StreamDecoder, bytes: Uint8Array, size: number | null): StreamEvent[] {
  const events: StreamEvent[] = [];
  const step = size ?? Math.max(1, bytes.length);
  for (let at = 0; at < bytes.length; at += step) {
    // Each piece is a copy, as each of a socket's is: a decoder must not rely on the bytes around it.
    events.push(...decoder.push(Uint8Array.from(bytes.subarray(at, at + step))));
  }
  events.push(...decoder.end());
  return checked(events);
}

/** Returns the events if they are a legal sequence; throws otherwise. */
export function checked(events: readonly StreamEvent[]): StreamEvent[] {
  const order = new EventOrder();
  for (const event of events) order.take(event);
  return [...events];
}

/** The outcome of the events: the answer, the error that ended it, or "unfinished". */
export function outcomeOf(events: readonly StreamEvent[]): AssembledAnswer | ErrorEvent | "unfinished" {
  const last = events.at(-1);
  if (last?.type === "error") return last;
  const answer = foldEvents(checked(events));
  return answer === null ? "unfinished" : { ...answer, usage: booked(answer.usage) };
}

/** A usage without what its vendor says that it served, which is no part of what is booked. */
export function booked(usage: Usage | null | undefined): Usage | null {
  return usage ? withoutServed(usage) : null;
}
