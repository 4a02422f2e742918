import { describe, expect, test } from "bun:test";
import { withSecondTries } from "./second-try.ts";
import type { FileReport } from "./tally.ts";

function report(path: string, failed: number): FileReport {
  return { path, tally: { passed: 2 - failed, failed, skipped: 0 }, duration_ms: 1, output: "" };
}

async function judge(first: Readonly<Record<string, number>>, second: Readonly<Record<string, number>>) {
  const again: string[] = [];
  const unsteady: string[] = [];
  const reports = await withSecondTries(
    Object.entries(first).map(([path, failed]) => report(path, failed)),
    async (path) => {
      again.push(path);
      return report(path, second[path] ?? 0);
    },
    (path) => unsteady.push(path),
  );
  return { again, unsteady, failed: reports.filter(({ tally }) => tally.failed > 0).map(({ path }) => path) };
}

describe("a file that failed", () => {
  test("is run once more, and counts as failed only if it fails again", async () => {
    expect(await judge({ a: 0, b: 1, c: 2 }, { b: 1, c: 0 })).toEqual({
      again: ["b", "c"],
      unsteady: ["c"],
      failed: ["b"],
    });
  });

  test("is not run again where many files fail", async () => {
    expect(await judge({ a: 1, b: 1, c: 1, d: 1 }, {})).toEqual({
      again: [],
      unsteady: [],
      failed: ["a", "b", "c", "d"],
    });
  });
});
