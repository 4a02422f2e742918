import { moveStore } from "../../src/store/move/move-store.ts";

/**
 * A move in a process of its own, to be killed in the middle of it: `bun moving-process.ts FILE URL ROWS`. Writes a line for each step that it
 * takes.
 */
const [from = "", to = "", rows = "1"] = process.argv.slice(2);
await moveStore({
  from,
  to,
  size: { rows: Number(rows), bytes: 1 << 20 },
  onProgress: (step, done) => process.stdout.write(`${step} ${done}\n`),
});
