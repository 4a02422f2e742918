/** Every simulated answer was created at this second (2026-01-01T00:00:00Z), so that answers are equal run after run. */
export const SIMULATED_CREATED = 1_767_225_600;

let last = 0;

/** A serial that no other request of this process has. */
export function nextSerial(): string {
  last += 1;
  return last.toString(36).padStart(8, "0");
}
