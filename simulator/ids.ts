/** Every simulated answer was created at this second (2026-01-01T00:00:00Z), so that answers are equal run after run. */
export const SIMULATED_CREATED = 1_767_225_600;

let last = 0;

/** An id that no other answer of this process has. */
export function nextId(prefix: string): string {
  last += 1;
  return `${prefix}_${last.toString(36).padStart(8, "0")}`;
}
