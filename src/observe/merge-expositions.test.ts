import { describe, expect, test } from "bun:test";
import { mergeExpositions } from "./merge-expositions.ts";
import { Metrics } from "./metrics.ts";

/** Metrics of a process that has answered this many requests. */
function metricsOf(requests: number): string {
  const metrics = new Metrics();
  metrics.gauge("camino_ledger_pending", "Waiting.", () => requests);
  metrics.requests.add(requests, "chat.completions", "200");
  metrics.attempts.add(1, 'a "vendor" {in} \\ braces', "ok");
  metrics.first_byte.add(0.01, "messages");
  return metrics.write();
}

describe("the metrics of several processes", () => {
  const merged = mergeExpositions("worker", [
    { label: "1", text: metricsOf(7) },
    { label: "2", text: metricsOf(35) },
  ]);
  const lines = merged.split("\n");

  test("have each metric's description once, and its samples below it", () => {
    const described = lines.filter((line) => line.startsWith("# TYPE "));
    expect(new Set(described).size).toBe(described.length);
    const at = lines.indexOf("# TYPE camino_requests_total counter");
    expect(lines.slice(at + 1, at + 3)).toEqual([
      'camino_requests_total{worker="1",endpoint="chat.completions",status="200"} 7',
      'camino_requests_total{worker="2",endpoint="chat.completions",status="200"} 35',
    ]);
  });

  test("name the process on each sample, with other labels or without", () => {
    expect(lines).toContain('camino_ledger_pending{worker="2"} 35');
    const samples = lines.filter((line) => line !== "" && !line.startsWith("#"));
    expect(samples.every((line) => /^camino_\w+\{worker="[12]"[,}]/.test(line))).toBe(true);
  });

  test("leave values of labels as they are", () => {
    expect(merged).toContain('{worker="1",vendor="a \\"vendor\\" {in} \\\\ braces",result="ok"} 1');
  });

  test("of nobody are nothing", () => {
    expect(mergeExpositions("worker", [])).toBe("");
  });
});
