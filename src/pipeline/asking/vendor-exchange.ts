import type { Exchange, VendorFailure } from "../../core/exchange.ts";

/** The parts of an exchange that an attempt needs: the call, and how to read a refusal. */
export interface VendorExchange extends Pick<Exchange, "path" | "headers"> {
  readonly parts?: readonly string[] | undefined;
  readonly body: string | Uint8Array;
  /** At once, or later where the exchange is in another thread. */
  readError(status: number, body: string): VendorFailure | Promise<VendorFailure>;
}
