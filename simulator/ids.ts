/** The creation time of every simulated answer (2026-01-01T00:00:00Z): constant, so that runs give equal answers. */
export const SIMULATED_CREATED = 1_767_225_600;

let last = 0;

/** A serial number that no other request of this process has. */
export function nextSerial(): string {
  last += 1;
  return last.toString(36).padStart(8, "0");
}
