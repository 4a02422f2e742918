import { isDeepStrictEqual } from "node:util";
import type { ClientProtocol, Exchange } from "../../../src/core/answer/exchange.ts";
import { bytesOf } from "../../../src/core/answer/sent-body.ts";
import type { Protocol } from "../../../src/core/endpoints.ts";
import { isObject } from "../../../src/core/json.ts";
import { NO_USAGE } from "../../../src/core/money/usage.ts";
import { adapterBetween } from "../../../src/main/protocols.ts";
import type { Case } from "./cases.ts";
import { HEADERS, holds, targetOf } from "./outcome.ts";

/** What becomes of a part of a vendor's answer on its way to a client of the vendor's own style. */
export type AnswerOutcome = "relayed" | "changes" | "nothing";

export interface AnswerWay {
  readonly client: ClientProtocol;
  readonly vendor: Protocol;
  /** A request of the client that may be answered so. */
  readonly request: unknown;
  /** The events before the event in question; null where the answer is whole. */
  readonly opening: ((event: unknown) => readonly unknown[]) | null;
}

/** The client's answer, as the values that its official SDK reads. Throws what no answer may make the gateway throw. */
export function answered(answer: unknown, { client, vendor, request, opening }: AnswerWay): readonly unknown[] {
  const exchange = exchangeOf(client, vendor, { ...Object(request), stream: opening !== null });
  if (opening === null)
    return [JSON.parse(bytesOf(exchange.readWhole(JSON.stringify(answer)).body).toString() || "null")];
  const stream = exchange.openStream();
  const frames = [...opening(answer), answer].map((event) => stream.push(Buffer.from(frameOf(event))));
  const end = [stream.end(), stream.finish(stream.usage ?? NO_USAGE)];
  const lines = Buffer.concat([...frames, ...end])
    .toString()
    .split("\n")
    .filter((line) => line.startsWith("data: {"));
  return lines.map((line) => JSON.parse(line.slice(6)));
}

function exchangeOf(client: ClientProtocol, vendor: Protocol, request: unknown): Exchange {
  const adapter = adapterBetween(client.protocol, vendor);
  if (adapter === null) throw new Error(`no way from ${client.protocol} to ${vendor}`);
  return adapter.prepare(client.readRequest(JSON.stringify(request), HEADERS), targetOf(vendor), HEADERS);
}

function frameOf(event: unknown): string {
  const name = isObject(event) && typeof event.type === "string" ? `event: ${event.type}\n` : "";
  return `${name}data: ${JSON.stringify(event)}\n\n`;
}

export function judgeAnswer({ member, value, given, without }: Case, way: AnswerWay): AnswerOutcome {
  const got = answered(given, way);
  const rest = answered(without, way);
  if (isDeepStrictEqual(got, rest)) return "nothing";
  return holds(got, member, value) ? "relayed" : "changes";
}
