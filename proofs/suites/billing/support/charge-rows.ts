import type { BilledEndpoint, SpokenProtocol } from "../../../../src/core/endpoints.ts";
import type { Stage } from "./staged-vendor.ts";

/** Whole answers, and streams: of events, or of bytes as sound has them. */
export type Form = "whole" | "stream";

/**
 * What each unit costs at each protocol of vendors: what the vendor counts, and the charge by hand. Prices are in units of the currency for a
 * million tokens or characters, a thousand searches or calls, a minute, an image; a price for a million tokens is the micro units of one.
 */
export interface ChargeRow {
  readonly endpoint: BilledEndpoint;
  /** The protocol of the vendor. */
  readonly protocol: SpokenProtocol;
  readonly form: Form;
  /** What is charged, and whose counts it is by where a protocol has several. */
  readonly unit: string;
  /** What else the vendor's entry says. */
  readonly vendor?: object;
  readonly model: object;
  /** Where the path does not name the endpoint alone. */
  readonly path?: (model: string) => string;
  readonly body: object;
  /** Fields of a form in place of a body. */
  readonly form_file?: "file" | "image";
  readonly stage: Stage;
  readonly charge_micro: number;
}

export const TEXT = "one two ".repeat(1000);

export const json = (value: object, headers?: Record<string, string>): Stage => ({
  type: "application/json",
  pieces: [JSON.stringify(value)],
  ...(headers !== undefined && { headers }),
});

type Frame = object | string;
/** A stream: the events up to the first content, and then the others. */
export function events(opening: readonly Frame[], ...rest: readonly Frame[]): Stage {
  return { type: "text/event-stream", pieces: [opening.map(frameOf).join(""), rest.map(frameOf).join("")] };
}

function frameOf(each: Frame): string {
  const name =
    typeof each === "object" && "type" in each && typeof each.type === "string" ? `event: ${each.type}\n` : "";
  const data: string = typeof each === "string" ? each : JSON.stringify(each);
  return `${name}data: ${data}\n\n`;
}
