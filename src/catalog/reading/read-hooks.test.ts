import { describe, expect, test } from "bun:test";
import { loadConfiguration, tryLoad } from "../configuration/load-configuration.ts";
import { formatProblem } from "./problem.ts";

const given = (file_text: string) => ({ file_text, file_name: "camino.yaml", env: { HOOK_AUTH: "Bearer s3cret" } });
const load = (file_text: string) => loadConfiguration(given(file_text)).hooks;
const problemsOf = (file_text: string) => tryLoad(given(file_text)).problems.map(formatProblem).join("\n");

const URL = "http://127.0.0.1:9000/check";

describe("hooks", () => {
  const CASES: readonly [promise: string, text: string, read: ReturnType<typeof load>][] = [
    ["are off where nothing says so", "", undefined],
    [
      "refuse after 300 ms unless it is said",
      `hooks: { before: { url: "${URL}" } }`,
      { before: { url: URL, headers: {}, deadline_ms: 300, on_failure: "refuse" } },
    ],
    [
      "read all that the file says",
      `hooks:
  before: { url: "${URL}", deadline: 2s, on_failure: allow, headers: { Authorization: "\${HOOK_AUTH}" } }
  after: { url: "${URL}", deadline: 1s }`,
      {
        before: { url: URL, headers: { authorization: "Bearer s3cret" }, deadline_ms: 2000, on_failure: "allow" },
        after: { url: URL, headers: {}, deadline_ms: 1000 },
      },
    ],
  ];
  test.each(CASES)("%s", (_promise, text, read) => {
    expect(load(text)).toEqual(read as NonNullable<typeof read>);
  });

  test.each([
    ["need an address", "hooks: { before: { deadline: 1s } }", /hooks\.before\.url/],
    ["know HTTP alone", `hooks: { after: { url: "unix:/x" } }`, /hooks\.after\.url/],
    ["wait for 30 s at most", `hooks: { before: { url: "${URL}", deadline: 1m } }`, /deadline.*30s/],
    ["refuse or allow", `hooks: { before: { url: "${URL}", on_failure: wait } }`, /on_failure.*refuse, allow/],
  ] as const)("%s", (_promise, text, told) => {
    expect(problemsOf(text)).toMatch(told);
  });
});
