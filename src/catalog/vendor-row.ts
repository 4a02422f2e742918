import type { VendorEndpoint, VendorQuirks } from "../core/catalog.ts";

/** A vendor that Camino knows: what a configuration need not say about it. */
export interface VendorRow {
  readonly id: string;
  readonly name: string;
  /** In order of preference. A base URL may name a variable of the environment: `https://${NAME}.example/v1`. */
  readonly endpoints: readonly VendorEndpoint[];
  /** Variables that may hold the credential; the first that is set wins. Empty for servers that need none. */
  readonly api_key_env: readonly string[];
  /** A local server: the variable that tells where it listens, and so that it is to be used. */
  readonly server_env?: string;
  readonly forwards_safety_identifier: boolean;
  /** `drain` where the vendor goes on generating, and charging, after the connection is closed. */
  readonly on_disconnect: "abort" | "drain";
  readonly quirks: VendorQuirks;
}
