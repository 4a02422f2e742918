import { expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { cleanMappings, keepGivingBackPages } from "./give-back-pages.ts";

const SMAPS = `00200000-01a39000 r--p 00000000 fe:00 2887 /opt/bun
Rss:                7780 kB
Anonymous:             0 kB
01a40000-0684a000 r-xp 01830000 fe:00 2887 /opt/a folder/bun
Rss:               35668 kB
Anonymous:             0 kB
06850000-06a00000 r--p 06640000 fe:00 2887 /opt/bun
Rss:                1720 kB
Anonymous:          1720 kB
06a00000-06b00000 rw-p 067f0000 fe:00 2887 /opt/bun
Rss:                 100 kB
Anonymous:             0 kB
3ede8600000-3ee28600000 rw-p 00000000 00:00 0
Rss:               37400 kB
Anonymous:         37400 kB
7f6800000000-7f6900000000 r-xp 00000000 00:00 0 
Anonymous:             0 kB
7ffd1-7ffd2 r-xp 00000000 00:00 0                      [vdso]
Anonymous:             0 kB
`;

test("Only mappings of files that cannot be written and of which nothing was changed are given back.", () => {
  expect(cleanMappings(SMAPS)).toEqual([
    { from: 0x00200000, to: 0x01a39000 },
    { from: 0x01a40000, to: 0x0684a000 },
  ]);
});

test.if(process.platform === "linux")("Pages are given back, and the process goes on as before.", () => {
  const before = fileBytes();
  const end = keepGivingBackPages();
  expect(fileBytes()).toBeLessThan(before);
  expect(JSON.parse('{"a":[1,2]}')).toEqual({ a: [1, 2] });
  end();
});

test.if(process.platform === "linux")(
  "Pages that were touched since are given back again, until it is ended.",
  async () => {
    const end = keepGivingBackPages(1);
    const touched = touch();
    while (fileBytes() >= touched) await Bun.sleep(1);
    end();
    const touched_again = touch();
    await Bun.sleep(20);
    expect(fileBytes()).toBeGreaterThanOrEqual(touched_again);
  },
);

/** Uses code of the runtime that waiting does not. Returns the kilobytes of files in memory right after it. */
function touch(): number {
  for (let at = 0; at < 200; at += 1) {
    new Function(`return ${at} + "${at}".length`)();
    new Bun.Transpiler({ loader: "ts" }).transformSync(`export const a${at}: number = ${at};`);
  }
  return fileBytes();
}

/** Kilobytes of files in this process's memory. */
function fileBytes(): number {
  return Number(/RssFile:\s+(\d+) kB/.exec(readFileSync("/proc/self/status", "latin1"))?.[1]);
}
