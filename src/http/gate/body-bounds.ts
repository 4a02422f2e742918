import { totalmem } from "node:os";

/** The bounds of unfinished bodies (docs/rulings.md 152). */

const KEY_BYTES = 64 * 2 ** 20;
const MOST_BYTES = 2 ** 30;

/**
 * The bytes that the unfinished bodies of one key may have together: at least the largest allowed body. Each of a gateway's processes
 * has its share of the room.
 */
export function keyBodyBytes(body_bytes: number, processes = 1): number {
  return Math.max(Math.floor(KEY_BYTES / processes), body_bytes);
}

/** The bytes that all unfinished bodies may have together in one process of a gateway, on a machine or in a container with this much memory. */
export function allBodyBytes(body_bytes: number, memory_bytes: number, processes = 1): number {
  return Math.max(Math.floor(Math.min(MOST_BYTES, Math.floor(memory_bytes / 4)) / processes), body_bytes);
}

/** The memory that this process may use: the machine's, or less where the system says so, as in a container. */
export function memoryBytes(): number {
  const machine_bytes = totalmem();
  const constrained_bytes = process.constrainedMemory();
  return constrained_bytes > 0 ? Math.min(machine_bytes, constrained_bytes) : machine_bytes;
}
