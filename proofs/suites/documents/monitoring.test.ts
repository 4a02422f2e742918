import { describe, expect, test } from "bun:test";
import { join } from "node:path";
import { parse } from "yaml";
import { Metrics } from "../../../src/observe/metrics.ts";

/** The dashboard and the alerts of `deploy` ask for metrics and labels that there are, which operations.md lists (documents.test.ts). */

const ROOT = join(import.meta.dir, "../../..");
const HISTOGRAMS = new Set(new Metrics().read().flatMap(({ name, type }) => (type === "histogram" ? [name] : [])));
const SUFFIX = /_(bucket|sum|count)$/;
/** What the monitoring itself adds to every sample, and what a histogram's buckets have. */
const ADDED = ["job", "instance", "le"];

async function readText(path: string): Promise<string> {
  return await Bun.file(join(ROOT, path)).text();
}

/** The labels of each metric that operations.md lists. */
async function listedMetrics(): Promise<Map<string, readonly string[]>> {
  const rows = (await readText("docs/operations.md")).matchAll(/^\| `(camino_\w+)(?:\{([\w,]+)\})?`/gm);
  return new Map([...rows].map(([, name = "", labels = ""]) => [name, labels.split(",").filter(Boolean)]));
}

interface Rule {
  readonly alert: string;
  readonly expr: string;
  readonly annotations: { readonly summary: string };
}
interface Panel {
  readonly title: string;
  readonly gridPos: object;
  readonly targets: readonly { readonly expr: string; readonly legendFormat: string }[];
}

const rules = (parse(await readText("deploy/prometheus/camino-alerts.yaml")) as { groups: { rules: Rule[] }[] }).groups;
const alerts = rules.flatMap(({ rules: inside }) =>
  inside.map(({ alert, expr, annotations }) => [alert, expr, annotations.summary] as const),
);
const { panels } = JSON.parse(await readText("deploy/grafana/camino.json")) as { panels: readonly Panel[] };
const drawn = panels.flatMap(({ title, targets }) =>
  targets.map(({ expr, legendFormat }) => [title, expr, legendFormat] as const),
);

describe.each([...alerts, ...drawn])("%s", (_name, expr, text) => {
  test("asks for metrics that there are", async () => {
    const listed = await listedMetrics();
    const asked = [...expr.matchAll(/camino_\w+/g)].map(([name]) => name);
    for (const name of asked) {
      const base = name.replace(SUFFIX, "");
      const is_histogram = SUFFIX.test(name) && HISTOGRAMS.has(base);
      expect([name, listed.has(is_histogram ? base : name)]).toEqual([name, true]);
      expect([name, HISTOGRAMS.has(name)]).toEqual([name, false]);
    }
    expect(asked.length > 0 || expr.startsWith("up{")).toBeTrue();
  });

  test("uses labels that they have", async () => {
    const listed = await listedMetrics();
    const known = [...expr.matchAll(/camino_\w+/g)].flatMap(
      ([name]) => listed.get(name) ?? listed.get(name.replace(SUFFIX, "")) ?? [],
    );
    const matched = [...expr.matchAll(/\{([^}]*)\}/g)].flatMap(([, inside = ""]) => inside.match(/\w+(?=[=!])/g) ?? []);
    const grouped = [...expr.matchAll(/by \(([\w, ]+)\)/g)].flatMap(([, inside = ""]) => inside.split(", "));
    const told = [...text.matchAll(/\{\{ ?(?:\$labels\.)?(\w+) ?\}\}/g)].map(([, name = ""]) => name);
    for (const label of [...matched, ...grouped, ...told])
      expect([label, [...known, ...ADDED].includes(label)]).toEqual([label, true]);
  });
});

test("a panel has its own id and place", () => {
  const places = panels.map((panel) => JSON.stringify(panel.gridPos));
  expect(new Set(places).size).toBe(panels.length);
});
