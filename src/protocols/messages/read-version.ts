import type { ClientHeaders } from "../../core/answer/exchange.ts";
import { GatewayError } from "../../core/errors.ts";

/** The version header by the specification's name and by the name that real clients send (docs/rulings.md 2). */
const VERSION_HEADERS = ["anthropic-version", "altstyle-version"] as const;

const DATE = /^\d{4}-\d{2}-\d{2}$/;

/**
 * The version that the client asks for, a date `YYYY-MM-DD`. Throws when both headers are absent, or one of them is not
 * a date. Where both are present, `anthropic-version` is the version that goes to the vendor.
 */
export function readVersion(headers: ClientHeaders): string {
  let version: string | null = null;
  for (const name of VERSION_HEADERS) {
    const value = headers.get(name);
    if (value === null) continue;
    if (!isDate(value)) throw notADate(name, value);
    version ??= value;
  }
  if (version !== null) return version;
  throw new GatewayError(
    "invalid_request",
    "The version header is missing: send anthropic-version, for example 2023-06-01.",
  );
}

function isDate(value: string): boolean {
  if (!DATE.test(value)) return false;
  const time = Date.parse(`${value}T00:00:00Z`);
  return !Number.isNaN(time) && new Date(time).toISOString().startsWith(value);
}

function notADate(name: string, value: string): GatewayError {
  const found = value === "" ? "empty" : JSON.stringify(value.slice(0, 40));
  return new GatewayError("invalid_request", `The header ${name} is ${found}; allowed: a date such as 2023-06-01.`);
}
