import { expect, test } from "bun:test";
import { ProcessTimes } from "./process-times.ts";

/** 200 ms of processor time, and some seconds of sleep. */
const BUSY = "for (let n = 0; n % 1e6 > 0 || process.cpuUsage().user < 200_000; n++); setTimeout(() => {}, 5000);";
const STARTS = `Bun.spawn([process.execPath, "-e", ${JSON.stringify(BUSY)}]); setTimeout(() => {}, 5000);`;

// Other systems have no /proc.
test.if(process.platform === "linux")(
  "the time of a process has that of a program that it started and does not wait for",
  async () => {
    using times = new ProcessTimes();
    const child = Bun.spawn([process.execPath, "-e", STARTS], { stdin: "ignore" });
    times.watch(child.pid);
    while (times.seen(child.pid) < 200) await Bun.sleep(50);
    times.forget(child.pid);
    expect(times.seen(child.pid)).toBe(0);
    child.kill();
    await child.exited;
  },
  60_000,
);
