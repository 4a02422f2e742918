import { describe, expect, test } from "bun:test";
import { addUp, summaryLine, tallyOf } from "./tally.ts";

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
