/** The process that owns the embedded database of a gateway of several workers. `supervise.ts` starts it. */
import { loadLedger } from "./built-gateway.ts";
import { parentChannel } from "./workers/channel.ts";
import type { FromProcess, ToProcess } from "./workers/messages.ts";
import { runProcess } from "./workers/run-process.ts";

const channel = parentChannel<FromProcess, ToProcess>();
const { keepLedger } = await loadLedger();
// A signal to all processes must end the workers first: the ends of their requests are booked here.
for (const signal of ["SIGINT", "SIGTERM"] as const) process.on(signal, () => {});
await runProcess(channel, () => keepLedger(channel));
