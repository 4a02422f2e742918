import type { ParentChannel } from "./channel.ts";
import type { FromProcess, ToProcess } from "./messages.ts";

/** Runs one process of a gateway of several, tells the supervisor if it fails, and lets the process end. */
export async function runProcess(
  channel: ParentChannel<FromProcess, ToProcess>,
  work: () => Promise<unknown>,
): Promise<void> {
  try {
    await work();
  } catch (thrown) {
    channel.send({ kind: "failed", message: thrown instanceof Error ? thrown.message : String(thrown) });
    process.exitCode = 1;
    // The sentence is on its way when the channel is closed.
    await Bun.sleep(50);
  }
  channel.close();
  // The runtime may still wait for a vendor's host that neither accepts nor refuses a connection.
  setTimeout(() => process.exit(), 1000).unref();
}
