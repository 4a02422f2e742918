import type { VendorEndpoint, VendorTimeouts } from "../../core/catalog/catalog.ts";
import type { Environment } from "../../core/environment.ts";
import type { VendorRow } from "../vendors/vendor-row.ts";

export const DEFAULT_TIMEOUTS: VendorTimeouts = {
  connect_ms: 3_000,
  first_byte_ms: 120_000,
  idle_ms: 60_000,
  total_ms: 1_800_000,
};

/** The credential in the first of the vendor's variables that is set; null when no variable is set. */
export function findCredential(row: VendorRow, env: Environment): string | null {
  for (const name of row.api_key_env) {
    const value = env[name];
    if (value !== undefined && value !== "") return value;
  }
  return null;
}

/**
 * The base URL of a row's endpoint. A local server's variable overrides host and port; it is read as people write it:
 * `127.0.0.1:11434`, `http://gpu-box:8000/v1`, or `0.0.0.0`, which a server listens on but clients cannot call.
 */
export function serverUrl(row: VendorRow, endpoint: VendorEndpoint, env: Environment): string {
  const given = row.server_env === undefined ? undefined : env[row.server_env];
  if (given === undefined || given === "") return endpoint.base_url;
  const usual = new URL(endpoint.base_url);
  const has_scheme = /^https?:\/\//.test(given);
  const url = URL.parse(has_scheme ? given : `http://${given}`);
  if (url === null) return endpoint.base_url;
  if (!has_scheme && url.port === "") url.port = usual.port;
  if (url.hostname === "0.0.0.0") url.hostname = "127.0.0.1";
  if (url.pathname === "/") url.pathname = usual.pathname;
  return url.href.replace(/\/+$/, "");
}
