import type { HarmKind, PlannedHarm } from "./harms.ts";
import type { RoundHistory } from "./history.ts";
import { modelOf } from "./models.ts";
import { FINDING_KINDS, type Finding, type FindingKind } from "./reconcile/finding.ts";
import { lossesOf } from "./reconcile/losses.ts";

/** What a run did and found, added up round by round. */
export class Summary {
  rounds = 0;
  calls = 0;
  asked = 0;
  billed_micro = 0;
  charged_micro = 0;
  readonly endings = new Map<string, number>();
  readonly statuses = new Map<string, number>();
  readonly harms = new Map<HarmKind, number>();
  readonly lies = new Map<string, number>();
  readonly losses = new Map<string, number>();
  readonly findings = new Map<FindingKind, number>();

  add(history: RoundHistory, harms: readonly PlannedHarm[], findings: readonly Finding[]): void {
    this.rounds += 1;
    this.calls += history.calls.length;
    this.asked += history.vendor.length;
    for (const { kind } of harms) count(this.harms, kind);
    for (const { ending, status, model } of history.calls) {
      count(this.endings, ending);
      count(this.statuses, String(status ?? "none"));
      const lie = modelOf(model)?.lie ?? null;
      if (lie !== null) count(this.lies, lie);
    }
    const { billed_micro, charged_micro, by_reason } = lossesOf(history);
    this.billed_micro += billed_micro;
    this.charged_micro += charged_micro;
    for (const [reason, micro] of by_reason) count(this.losses, reason, micro);
    this.addFindings(findings);
  }

  addFindings(findings: readonly Finding[]): void {
    for (const { kind } of findings) count(this.findings, kind);
  }

  get found(): number {
    return [...this.findings.values()].reduce((sum, found) => sum + found, 0);
  }

  /** The summary as lines for people. */
  lines(): string[] {
    return [
      `rounds      ${this.rounds}`,
      `calls       ${this.calls} (${listed(this.endings)}); vendors were asked ${this.asked} times`,
      `statuses    ${listed(this.statuses)}`,
      `harms       ${listed(this.harms)}`,
      `vendors     ${listed(this.lies)}`,
      `money       vendors counted ${this.billed_micro} micro for whole answers, ${this.charged_micro} micro were charged`,
      `loss        ${listed(this.losses, " micro")}`,
      `found       ${FINDING_KINDS.map((kind) => `${kind} ${this.findings.get(kind) ?? 0}`).join(", ")}`,
    ];
  }
}

function count<Name>(counts: Map<Name, number>, name: Name, by = 1): void {
  counts.set(name, (counts.get(name) ?? 0) + by);
}

function listed(counts: ReadonlyMap<string, number>, unit = ""): string {
  const sorted = [...counts].sort(([one], [other]) => one.localeCompare(other));
  return sorted.length === 0 ? "none" : sorted.map(([name, times]) => `${name} ${times}${unit}`).join(", ");
}
