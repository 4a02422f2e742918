import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** The alerts for Prometheus fire for what they say, in the words of its own tool; what they ask for: proofs/suites/documents/monitoring.test.ts. */

const ROOT = join(import.meta.dir, "../../..");
const RULES = join(ROOT, "deploy/prometheus/camino-alerts.yaml");
/** Prometheus' own reader of rules; null where it is not installed (`apt-get install prometheus`). */
const PROMTOOL = Bun.which("promtool");

/** What the gateway shows over some minutes, and the alerts that fire then. */
const CASES: [what: string, series: Record<string, string>, minutes: number, fires: string[]][] = [
  ["a gateway that is away", { 'up{job="camino",instance="a"}': "1x2 0x9" }, 9, ["CaminoDown"]],
  [
    "requests of which a tenth fail",
    {
      'camino_requests_total{endpoint="e",status="200"}': "0+90x20",
      'camino_requests_total{endpoint="e",status="503"}': "0+10x20",
    },
    15,
    ["CaminoServerErrors"],
  ],
  [
    "a vendor that fails beside one that answers",
    {
      'camino_upstream_attempts_total{vendor="good",result="ok"}': "0+9x30",
      'camino_upstream_attempts_total{vendor="bad",result="ok"}': "0+1x30",
      'camino_upstream_attempts_total{vendor="bad",result="provider_error"}': "0+1x30",
      'camino_upstream_attempts_total{vendor="bad",result="model_unavailable"}': "0+1x30",
    },
    25,
    ["CaminoVendorFails"],
  ],
  ["books that do not match", { camino_audit_problems: "-1x3 2x9" }, 9, ["CaminoBooksDiffer"]],
  ["an audit before the first", { camino_audit_problems: "-1x9", camino_audit_timestamp_seconds: "0x9" }, 9, []],
];

test("the recipe names alerts that there are", async () => {
  const recipe = await Bun.file(join(ROOT, "docs/how-to/monitor-with-prometheus.md")).text();
  const text = await Bun.file(RULES).text();
  const named = [...recipe.matchAll(/`(Camino\w+)`/g)].map(([, name]) => name);
  expect(named.length).toBeGreaterThan(0);
  expect(named.filter((name) => !text.includes(`- alert: ${name}\n`))).toEqual([]);
});

describe.skipIf(PROMTOOL === null)("in the words of promtool", () => {
  let folder: string;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), "camino-rules-"));
  });
  afterAll(() => rm(folder, { recursive: true }));

  const promtool = (...words: string[]) => {
    const { exitCode, stdout, stderr } = Bun.spawnSync([PROMTOOL ?? "", ...words]);
    return { exitCode, said: `${stdout}${stderr}` };
  };

  test("the rules are rules", () => {
    expect(promtool("check", "rules", RULES)).toMatchObject({ exitCode: 0 });
  });

  test.each(CASES)("%s: fires what it should, and nothing else", async (_what, series, minutes, fires) => {
    const input_series = Object.entries(series).map(([name, values]) => ({ series: name, values }));
    const exp_samples = fires.map((alertname) => ({ labels: `{alertname="${alertname}"}`, value: 1 }));
    const expr = 'count by (alertname) (ALERTS{alertstate="firing"})';
    const checks = [{ eval_time: `${minutes}m`, expr, exp_samples }];
    const tests = [{ interval: "1m", input_series, promql_expr_test: checks }];
    const file = join(folder, "test.yaml");
    await Bun.write(file, JSON.stringify({ rule_files: [RULES], tests }));
    expect(promtool("test", "rules", file)).toMatchObject({ exitCode: 0 });
  });
});
