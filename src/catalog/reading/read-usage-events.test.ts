import { describe, expect, test } from "bun:test";
import { loadConfiguration, tryLoad } from "../configuration/load-configuration.ts";
import { formatProblem } from "./problem.ts";

const SECRET = "a/b+c=d@e";

const given = (to: readonly string[]) => ({
  file_text: `usage_events: { to: ${JSON.stringify(to)} }`,
  ...{ file_name: "camino.yaml", env: { S3_SECRET: SECRET } },
});
const load = (...to: string[]) => loadConfiguration(given(to)).usage_events;
const problemsOf = (...to: string[]) => tryLoad(given(to)).problems.map(formatProblem).join("\n");

const HOOK = "webhook:http://127.0.0.1:9000/usage?token=t0ken";
const STORAGE = "s3:https://KEY:s3cret@storage.example.com/bucket/prefix";

describe("targets of usage events", () => {
  test("are read in their order, and a storage's secret as Amazon gives it or escaped", () => {
    const written = `https://KEY:${encodeURIComponent(SECRET)}@storage.example.com/bucket`;
    expect(load(HOOK, `s3:https://KEY:\${S3_SECRET}@storage.example.com/bucket`, "file:/var/lib/camino/usage")).toEqual(
      {
        to: [
          { channel: "webhook", address: HOOK.replace("webhook:", "") },
          { channel: "s3", address: written },
          { channel: "file", address: "/var/lib/camino/usage" },
        ],
      },
    );
    expect(load(`s3:${written}`)?.to).toEqual([{ channel: "s3", address: written }]);
  });

  test.each([
    "mail:ops@example.com",
    "webhook:ftp://billing.example.com/",
    "webhook:https://me:s3cret@billing.example.com/",
    "s3:https://storage.example.com/bucket",
    "s3:https://KEY:s3cret@storage.example.com/",
    "s3:https://KEY:s3cret@storage.example.com",
    "file:usage",
    "/var/lib/camino/s3cret",
  ])("are refused without being shown: %s", (text) => {
    const problems = problemsOf(HOOK, text);
    expect(problems).toContain("a target that is none of these, and is not shown");
    expect(problems).not.toMatch(/s3cret|t0ken/);
  });

  test("are named once, whatever their keys are", () => {
    for (const again of [HOOK, STORAGE, STORAGE.replace("KEY:s3cret", "OTHER:s3cret2")]) {
      const problems = problemsOf(HOOK, STORAGE, again);
      expect(problems).toContain("a target twice, which is not shown");
      expect(problems).not.toMatch(/s3cret|t0ken/);
    }
  });
});
