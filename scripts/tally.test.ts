import { describe, expect, test } from "bun:test";
import { addUp, type FileReport, slowest, summaryLine, talliesByFile, tallyOf, tooLong } from "./tally.ts";

const report = (attributes: string): string => `<testsuites name="bun test" ${attributes} time="0.1"><testsuite/>`;

describe("a file's tally", () => {
  test.each([
    ["all pass", report('tests="3" failures="0" skipped="0"'), 0, { passed: 3, failed: 0, skipped: 0 }],
    ["some fail", report('tests="4" failures="1" skipped="2"'), 1, { passed: 1, failed: 1, skipped: 2 }],
    ["crashed before a report", null, 139, { passed: 0, failed: 1, skipped: 0 }],
    ["failed between tests", report('tests="3" failures="0" skipped="0"'), 1, { passed: 3, failed: 1, skipped: 0 }],
    ["no test in the file", report('tests="0" failures="0" skipped="0"'), 0, { passed: 0, failed: 1, skipped: 0 }],
    ["ended well but wrote nothing", null, 0, { passed: 0, failed: 1, skipped: 0 }],
  ])("%s", (_name, junit, status, expected) => {
    expect(tallyOf(junit, status)).toEqual(expected);
  });
});

describe("the last line", () => {
  test("adds all files up and names skipped tests only when there are some", () => {
    const some = addUp([
      { passed: 1, failed: 0, skipped: 0 },
      { passed: 2, failed: 3, skipped: 4 },
    ]);
    expect(summaryLine(some)).toBe("3 passed, 3 failed, 4 skipped");
    expect(summaryLine(addUp([]))).toBe("0 passed, 0 failed");
  });
});

describe("the counts of files that shared a process", () => {
  test("are those of each file, whatever groups are in it", () => {
    const junit = `<?xml version="1.0"?>
      <testsuites name="bun test" tests="4" failures="1" skipped="1" time="0.5">
        <testsuite name="src/a.test.ts" file="src/a.test.ts" tests="3" failures="1" skipped="1" time="0.25">
          <testsuite name="a group" file="src/a.test.ts" tests="2" failures="1" skipped="0" time="0.1">
            <testcase name="one" file="src/a.test.ts"><failure type="AssertionError" /></testcase>
          </testsuite>
        </testsuite>
        <testsuite name="src/b.test.ts" file="src/b.test.ts" tests="1" failures="0" skipped="0" time="0.125"></testsuite>
      </testsuites>`;
    expect([...talliesByFile(junit)]).toEqual([
      ["src/a.test.ts", { tally: { passed: 1, failed: 1, skipped: 1 }, duration_ms: 250 }],
      ["src/b.test.ts", { tally: { passed: 1, failed: 0, skipped: 0 }, duration_ms: 125 }],
    ]);
    expect(talliesByFile(null).size).toBe(0);
  });
});

describe("what a run tells of its length", () => {
  const took = (path: string, duration_ms: number): FileReport => {
    return { path, tally: { passed: 1, failed: 0, skipped: 0 }, duration_ms, output: "" };
  };

  test("is the files that took longest, the longest first", () => {
    const reports = Array.from({ length: 12 }, (_, index) => took(`file-${index}`, index * 1000));
    const line = slowest(reports);
    expect(line).toStartWith("slowest: file-11 11.0 s, file-10 10.0 s, ");
    expect(line.split(", ")).toHaveLength(10);
  });

  test("names each file that takes more than its share", () => {
    const reports = [took("long", 500), took("short", 100), took("other", 400)];
    expect(tooLong(reports, 0.3).map((line) => line.split(" ")[2])).toEqual(["long", "other"]);
    expect(tooLong(reports, 0.3)[0]).toContain("takes 50.0 % of the time of all files, and 30.0 % is meant");
    expect(tooLong(reports, 0.6)).toEqual([]);
  });
});
