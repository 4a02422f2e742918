import type { AccountBook, Receipt } from "../../torture/history.ts";
import { checkAccount } from "../../torture/reconcile/check-accounts.ts";
import { checkAmount, checkEntries } from "../../torture/reconcile/check-receipts.ts";
import type { Finding as BookFinding } from "../../torture/reconcile/finding.ts";
import type { Finding } from "../finding.ts";
import { slotIn } from "../gateway/fuzz-models.ts";
import type { CaseSeen } from "../gateway/run-case.ts";

/** What a vendor was asked, as far as a charge has to be explained by it. */
export interface VendorAsked {
  readonly slot: number | null;
  /** The status of its answer; 0 where none began. */
  readonly status: number;
  readonly complaint: string | null;
}

export interface BatchBooks {
  readonly cases: readonly CaseSeen[];
  readonly accounts: readonly AccountBook[];
  readonly asked: readonly VendorAsked[];
}

/** Compares the books of a batch at rest with what its clients and vendors saw. Pure: reads nothing but its argument. */
export function judgeBooks({ cases, accounts, asked }: BatchBooks): Finding[] {
  const numbers = new Map(cases.map(({ plan }) => [plan.slot, plan.number]));
  const asked_of = Map.groupBy(asked, ({ slot }) => slot ?? -1);
  const receipts = accounts.flatMap((account) => account.receipts);
  const findings: Finding[] = [];
  for (const { slot, complaint } of asked)
    if (complaint !== null)
      findings.push({ kind: "vendor request", what: complaint, case_number: numbers.get(slot ?? -1) ?? null });
  const told = ({ kind, what }: BookFinding, case_number: number | null): Finding => ({
    kind: KINDS[kind] ?? "books",
    what,
    case_number,
  });
  for (const account of accounts) {
    const entries = Map.groupBy(account.entries, ({ request }) => request ?? "");
    findings.push(...[...checkAccount(account)].map((found) => told(found, null)));
    for (const receipt of account.receipts) {
      const broken = [...checkEntries(receipt, entries.get(receipt.id) ?? []), ...checkAmount(receipt)];
      findings.push(...broken.map((found) => told(found, numbers.get(slotOf(receipt) ?? -1) ?? null)));
    }
  }
  for (const [slot, charged] of Map.groupBy(
    receipts.filter(({ charge_micro }) => charge_micro > 0),
    (receipt) => slotOf(receipt) ?? -1,
  )) {
    const what = unexplained(charged, asked_of.get(slot) ?? []);
    if (what !== null) findings.push({ kind: "charge", what, case_number: numbers.get(slot) ?? null });
  }
  return [...findings, ...cases.flatMap((seen) => chargedRefusals(seen, receipts))];
}

/** What the torture's findings are called here; all others are of the books. */
const KINDS: Readonly<Partial<Record<BookFinding["kind"], Finding["kind"]>>> = {
  held: "held",
  amount: "charge",
  overdrawn: "charge",
};

function slotOf({ model }: Receipt): number | null {
  return slotIn(model);
}

function nameOf({ id, model }: Receipt): string {
  return `${id} of ${model}`;
}

/** Why the vendor's own log does not explain the charges of a slot; null where it does. */
function unexplained(charged: readonly Receipt[], asked: readonly VendorAsked[]): string | null {
  const names = charged.map(nameOf).join(", ");
  if (asked.length < charged.length) return `${names}: charged, and its vendor was asked ${asked.length} times`;
  if (asked.every(({ status }) => status >= 400)) return `${names}: charged, and its vendor refused every time`;
  return null;
}

/** Answers with an error's status are free. */
function chargedRefusals({ plan, steps }: CaseSeen, receipts: readonly Receipt[]): Finding[] {
  return steps.flatMap(({ answer }) => {
    if (answer === null || answer.status < 400) return [];
    const id = answer.headers.get("x-camino-request-id");
    const receipt = receipts.find((each) => each.id === id);
    if (receipt === undefined || receipt.charge_micro === 0) return [];
    const what = `${nameOf(receipt)} was answered with ${answer.status} and charged ${receipt.charge_micro} micro`;
    return [{ kind: "charge" as const, what, case_number: plan.number }];
  });
}
