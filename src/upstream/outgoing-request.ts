/** A request with all of its headers: nothing is added but what the transfer itself needs. */
export interface OutgoingRequest {
  readonly url: string;
  /** Not changed once it was given: what is written of it is remembered. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}
