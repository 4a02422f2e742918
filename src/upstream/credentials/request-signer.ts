/** The parts of a request that a signature covers. */
export interface SignableRequest {
  readonly method: "GET" | "POST";
  readonly url: string;
  readonly body: string | Uint8Array;
}

/** Makes the headers that authenticate a request. Rejects with an UpstreamError (`credential`) when it cannot. */
export type RequestSigner = (request: SignableRequest) => Promise<Readonly<Record<string, string>>>;
