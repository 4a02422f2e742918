/** The process that owns the embedded database of a gateway of several workers. `supervise.ts` starts it. */
import { loadLedger } from "../built-gateway.ts";
import { parentChannel } from "./channel.ts";
import type { FromProcess, ToProcess } from "./messages.ts";

const channel = parentChannel<FromProcess, ToProcess>();
const { keepLedger } = await loadLedger();
// Whoever signals all processes ends the workers first: their ends are booked here.
for (const signal of ["SIGINT", "SIGTERM"] as const) process.on(signal, () => {});
try {
  await keepLedger(channel);
} catch (thrown) {
  channel.send({ kind: "failed", message: thrown instanceof Error ? thrown.message : String(thrown) });
  process.exitCode = 1;
  // The sentence is on its way when the channel is closed.
  await Bun.sleep(50);
}
channel.close();
setTimeout(() => process.exit(), 1000).unref();
