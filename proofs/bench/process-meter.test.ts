import { describe, expect, test } from "bun:test";
import { cpuMs, treeCpuMs } from "./process-meter.ts";

const WORK_MS = 80;
/** A program that computes until it has used so much processor time, says so, and does a last thing. */
function worker(last: string): string {
  return `const used = () => process.cpuUsage().user + process.cpuUsage().system;
    while (used() < ${WORK_MS * 1000}) for (let turn = 0; turn < 1e5; turn += 1);
    console.log("done");
    ${last}`;
}

describe("the processor time of a program with children", () => {
  test.each([
    ["that run", `"$0" -e "$1" <&0 & wait`, "await Bun.stdin.text();", "done"],
    ["that have ended", `"$0" -e "$1" </dev/null; echo ended; read -r line`, "", "ended"],
  ])("counts those %s", async (_which, script, last, last_word) => {
    const child = Bun.spawn(["sh", "-c", script, process.execPath, worker(last)], { stdin: "pipe", stdout: "pipe" });
    try {
      let said = "";
      for await (const bytes of child.stdout) {
        said += new TextDecoder().decode(bytes);
        if (said.includes(last_word)) break;
      }
      expect(said).toContain(last_word);
      expect(treeCpuMs(child.pid)).toBeGreaterThan(WORK_MS * 0.8);
      // The shell itself has done next to nothing.
      expect(cpuMs(child.pid)).toBeLessThan(WORK_MS / 2);
    } finally {
      child.stdin.end();
      await child.exited;
    }
  });
});

test("a process that is not there has no processor time", () => {
  expect(cpuMs(2 ** 22 - 1)).toBeNaN();
});
