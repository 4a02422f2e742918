/** What a credential is made for. */
export interface SignableRequest {
  readonly method: "GET" | "POST";
  readonly url: string;
  readonly body: string;
}

/** Makes the headers that vouch for a request. Rejects with an UpstreamError (`credential`) when it cannot. */
export type RequestSigner = (request: SignableRequest) => Promise<Readonly<Record<string, string>>>;
