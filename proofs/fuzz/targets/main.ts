/**
 * Explores one target in this process and prints what came of it as JSON:
 *
 *   bin/camino-bun --preload ./proofs/fuzz/coverage/register.ts proofs/fuzz/targets/main.ts --target NAME --seed N --seconds N --mark FILE [--most N]
 *
 * The file holds the input that runs, for the process that started this one and ends it if an input never ends.
 */
import { parseArgs } from "node:util";
import { explore } from "./explore.ts";
import { TARGETS } from "./targets.ts";

const MARK_BYTES = 128 * 1024;
const LENGTH_BYTES = 4;

const { values } = parseArgs({
  options: {
    target: { type: "string", default: "" },
    seed: { type: "string", default: "1" },
    seconds: { type: "string", default: "5" },
    mark: { type: "string", default: "" },
    most: { type: "string" },
  },
});
const target = TARGETS.find(({ name }) => name === values.target);
if (target === undefined) throw new Error(`there is no target ${JSON.stringify(values.target)}`);
await Bun.write(values.mark, new Uint8Array(MARK_BYTES));
const mark = Bun.mmap(values.mark);
const lengths = new DataView(mark.buffer, mark.byteOffset, LENGTH_BYTES);
// Times in answers must not differ between two runs of one input.
Date.now = () => 1_790_000_000_000;

const { breaches, ...told } = await explore(target, {
  seed: Number(values.seed),
  until_ms: performance.now() + Number(values.seconds) * 1000,
  ...(values.most !== undefined && { most: { executions: Number(values.most) } }),
  onInput: (input) => {
    const marked = input.subarray(0, MARK_BYTES - LENGTH_BYTES);
    lengths.setUint32(0, marked.length);
    mark.set(marked, LENGTH_BYTES);
  },
});
const shown = breaches.map(({ problem, input }) => ({ problem, input: input.toString("base64") }));
process.stdout.write(`${JSON.stringify({ ...told, breaches: shown })}\n`);
process.exit(0);
