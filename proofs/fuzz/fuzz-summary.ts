import { FINDING_KINDS, type Finding, type FindingKind } from "./finding.ts";
import type { BatchSeen } from "./gateway/run-batch.ts";
import type { TargetRun } from "./run-targets.ts";

/** What a run did and found, added up. */
export class FuzzSummary {
  cases = 0;
  requests = 0;
  batches = 0;
  receipts = 0;
  charged_micro = 0;
  readonly memory_bytes: number[] = [];
  readonly #statuses = new Map<string, number>();
  readonly #vendor = new Map<string, number>();
  readonly #findings = new Map<FindingKind, number>();

  add({ cases, vendor_kinds, receipts, charged_micro }: BatchSeen): void {
    this.batches += 1;
    this.cases += cases.length;
    this.receipts += receipts;
    this.charged_micro += charged_micro;
    for (const { steps, answers } of cases) {
      this.requests += steps.length;
      for (const { status } of answers) count(this.#statuses, String(status));
      for (const { left } of steps) if (left) count(this.#statuses, "left");
    }
    for (const kind of vendor_kinds) count(this.#vendor, kind);
  }

  addFinding({ kind }: Finding): void {
    count(this.#findings, kind);
  }

  get found(): number {
    return [...this.#findings.values()].reduce((sum, times) => sum + times, 0);
  }

  /** The summary as lines for people. */
  lines(): string[] {
    const memory = this.memory_bytes.map((bytes) => Math.round(bytes / 1024 / 1024));
    return [
      `batches   ${this.batches}, ${this.cases} cases with ${this.requests} requests`,
      `answers   ${listed(this.#statuses)}`,
      `vendor    ${listed(this.#vendor)}`,
      `money     ${this.receipts} receipts, ${this.charged_micro} micro charged`,
      `memory    ${memory.length === 0 ? "not known here" : `${memory[0]} MiB first, ${memory.at(-1)} MiB last, ${Math.max(...memory)} MiB most`}`,
      `found     ${
        FINDING_KINDS.filter((kind) => this.#findings.has(kind))
          .map((kind) => `${kind} ${this.#findings.get(kind)}`)
          .join(", ") || "nothing"
      }`,
    ];
  }
}

export function targetLine({ target, executions, edges, corpus, breaches }: TargetRun): string {
  return `target ${target}: ${executions} inputs, ${edges} edges, ${corpus} kept${breaches.length === 0 ? "" : `, ${breaches.length} breaches`}`;
}

function count<Name>(counts: Map<Name, number>, name: Name): void {
  counts.set(name, (counts.get(name) ?? 0) + 1);
}

function listed(counts: ReadonlyMap<string, number>): string {
  const sorted = [...counts].sort(([one], [other]) => one.localeCompare(other));
  return sorted.length === 0 ? "none" : sorted.map(([name, times]) => `${name} ${times}`).join(", ");
}
