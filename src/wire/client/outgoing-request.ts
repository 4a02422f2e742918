/** A request with all of its headers: nothing is added but what the transfer itself needs. */
export interface OutgoingRequest {
  readonly url: string;
  /** Not changed once it was given: what is written of it is remembered. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: RequestBody;
}

/** A text, or the parts of one in their order, none of which ends within a character. */
export type RequestBody = string | readonly string[];

export function textOfBody(body: RequestBody): string {
  return typeof body === "string" ? body : body.join("");
}
