/** A token for one opened form: however often the form is sent, what it asks for is booked once. */
export function newBookingToken(): string {
  // Not crypto.randomUUID, which browsers offer to secure addresses only.
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  return `console-${Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("")}`;
}
