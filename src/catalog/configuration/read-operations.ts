import { DEFAULT_OPERATIONS, type OperationsSettings } from "../../core/operations-settings.ts";
import { MIN_TOKEN_LENGTH, weaknessOf } from "../../core/strong-token.ts";
import { type Place, report } from "./place.ts";
import { readFields } from "./read-fields.ts";
import { readText } from "./read-scalar.ts";

const PORT = "a port from 0 (any free one) to 65535";
const TOKEN = `a token of at least ${MIN_TOKEN_LENGTH} printable characters, such as \${METRICS_TOKEN}`;

/** Reads where `/metrics`, `/readyz` and `/healthz` are answered, and for whom; null where the file does not say. */
export function readOperations(place: Place | null): OperationsSettings | null {
  const fields = place === null ? null : readFields(place, ["host", "port", "token"]);
  if (fields === null) return null;
  return {
    host: readText(fields.get("host"), "an address to listen on, such as 127.0.0.1") ?? DEFAULT_OPERATIONS.host,
    port: readPort(fields.get("port")),
    token: readToken(fields.get("token")),
  };
}

function readPort(place: Place | null): number | null {
  const text = readText(place, PORT);
  if (place === null || text === null) return DEFAULT_OPERATIONS.port;
  return /^\d{1,5}$/.test(text) && Number(text) <= 65535 ? Number(text) : report(place, PORT);
}

function readToken(place: Place | null): string | null {
  const text = readText(place, TOKEN);
  if (place === null || text === null) return DEFAULT_OPERATIONS.token;
  // The value is not shown: it may be most of a token.
  return weaknessOf(text) === null ? text : report(place, TOKEN, "a value that is not shown");
}
