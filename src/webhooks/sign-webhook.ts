import { createHmac, hkdfSync } from "node:crypto";

const PREFIX = "whsec_";

/** A target's signing secret. It follows from the gateway's own secret and the target's id, so that none lies in the database. `key` is SubKeys.target_secret. */
export function signingSecret(key: Uint8Array, target_id: string): string {
  return PREFIX + Buffer.from(hkdfSync("sha256", key, "", target_id, 32)).toString("base64");
}

export interface SignedMessage {
  /** The same in every try: a receiver knows by it what it has got already. */
  readonly id: string;
  /** When this try is sent: receivers refuse what is old. */
  readonly sent_ms: number;
  /** The body exactly as it is sent. */
  readonly body: string;
}

/** The headers of the Standard Webhooks specification 1.0: HMAC-SHA256 over the id, the time in seconds and the body's bytes. */
export function signedHeaders(secret: string, { id, sent_ms, body }: SignedMessage): Record<string, string> {
  const key = Buffer.from(secret.slice(PREFIX.length), "base64");
  const seconds = Math.floor(sent_ms / 1000);
  const signature = createHmac("sha256", key).update(`${id}.${seconds}.${body}`).digest("base64");
  return { "webhook-id": id, "webhook-timestamp": String(seconds), "webhook-signature": `v1,${signature}` };
}
