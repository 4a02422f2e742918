import { expect, test } from "bun:test";
import { join } from "node:path";

const PROGRAM = `
  const { LineSink } = await import(${JSON.stringify(join(import.meta.dir, "line-sink.ts"))});
  const sink = new LineSink("stdout");
  for (const line of await Bun.stdin.json()) sink.write(line);
  sink.flush();`;

test("writes lines of any length and any characters whole and in order", async () => {
  const lines = Array.from({ length: 400 }, (_, at) => {
    const character = ["a", "é", "水", "🌊"][at % 4] ?? "";
    // Some lines are larger than the buffer.
    return `${at} ${character.repeat(at % 50 === 7 ? 40_000 : at * 3)}\n`;
  });
  const child = Bun.spawn([process.execPath, "-e", PROGRAM], {
    stdin: new Blob([JSON.stringify(lines)]),
    stdout: "pipe",
  });
  expect((await child.stdout.text()) === lines.join("")).toBe(true);
});
