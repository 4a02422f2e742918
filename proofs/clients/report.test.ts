import { expect, test } from "bun:test";
import type { Client } from "./client.ts";
import { PROTOCOLS, type VendorProtocol } from "./protocols.ts";
import { markdownReport, table } from "./report.ts";
import type { ClientResult, ScenarioResult } from "./result.ts";

const CLIENT: Client = {
  id: "swift",
  name: "Swift SDK (new)",
  install: { from: "npm", packages: { swift: "1.2.3", helper: "4.5.6" } },
  settings: "Set the address.",
  scenarios: ["answers", "reads a PDF"].map((name) => ({ name, run: () => Promise.resolve() })),
};
const FINE: ScenarioResult = { scenario: "answers", outcome: "works", why: "", checks: 7 };

function tried(scenarios: Partial<Record<VendorProtocol, readonly ScenarioResult[]>>) {
  const results = Object.entries(scenarios).map(([protocol, told]) => {
    const of = protocol as VendorProtocol;
    const result: ClientResult = {
      ...{ client: "swift", version: "1.2.3", protocol: of, date: "2026-11-22", sources: "abc" },
      scenarios: told,
    };
    return [of, result] as const;
  });
  return { client: CLIENT, results: new Map(results) };
}

test("the table has a row for each client and a column for each protocol, and shows what was not tried", () => {
  const failing: ScenarioResult = { scenario: "reads a PDF", outcome: "fails", why: "status 400", checks: 0 };
  const row = table([tried({ messages: [FINE, failing], gemini: [FINE] })])
    .split("\n")
    .at(-1);
  expect(row).toBe(
    "| [Swift SDK (new)](#swift-sdk-new) | 1.2.3 | not tried | not tried | 1 of 2 fail | works | not tried | 2026-11-22 |",
  );
});

test("a task that a protocol cannot support is no failure, and the reason is shown", () => {
  const impossible: ScenarioResult = { scenario: "reads a PDF", outcome: "impossible", why: "takes none", checks: 0 };
  const every = Object.fromEntries(PROTOCOLS.map((protocol) => [protocol, [FINE, impossible]]));
  const report = markdownReport([tried(every)]);
  expect(report).not.toContain("fail");
  expect(report).toContain(`- reads a PDF: takes none (${PROTOCOLS.join(", ")})`);
  expect(report).toContain(
    "`swift` 1.2.3, `helper` 4.5.6 (npm).\n\nSet the address.\n\nTried: answers (7 checks); reads a PDF.",
  );
});

test("a failure is shown with its reason on one line", () => {
  const failing: ScenarioResult = { scenario: "answers", outcome: "fails", why: "status 400\n  body: {}", checks: 0 };
  expect(markdownReport([tried({ gemini: [failing] })])).toContain("- **answers** fails: status 400 body: {} (gemini)");
});
