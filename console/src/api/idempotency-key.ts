/** A key for one change: however often the change is sent with it, it is made once (docs/rulings.md 65). */
export function newIdempotencyKey(): string {
  // Browsers offer crypto.randomUUID to secure addresses only.
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  return `console-${Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("")}`;
}
