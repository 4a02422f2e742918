/** A cell of the matrix: the client's style, the vendor's protocol, and whether the answer is streamed. */

export const CLIENTS = ["chat", "responses", "messages", "gemini"] as const;
export const VENDORS = ["chat", "responses", "messages", "gemini", "bedrock"] as const;

/** The public API styles; each is named by the client that speaks it. */
export type Client = (typeof CLIENTS)[number];

/** The protocols that vendors speak: chat completions, responses, messages, Gemini, and Bedrock's Converse. */
export type Vendor = (typeof VENDORS)[number];

export interface Cell {
  readonly client: Client;
  readonly vendor: Vendor;
  readonly stream: boolean;
}

/** Every cell of a feature, in the order in which reports show them. */
export const CELLS: readonly Cell[] = CLIENTS.flatMap((client) =>
  VENDORS.flatMap((vendor) => [false, true].map((stream) => ({ client, vendor, stream }))),
);

/** `chat → gemini, streamed`. */
export function cellName({ client, vendor, stream }: Cell): string {
  return `${client} → ${vendor}, ${stream ? "streamed" : "whole"}`;
}
