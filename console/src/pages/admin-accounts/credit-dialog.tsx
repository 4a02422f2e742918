import { type FormEvent, useState } from "react";
import type { Account } from "../../../../contract/accounts.ts";
import { type ReadAmount, readAmount } from "../../../../contract/amounts.ts";
import { fieldError, messageOf } from "../../api/api-error.ts";
import { newIdempotencyKey } from "../../api/idempotency-key.ts";
import { useChange } from "../../api/use-api.ts";
import { AmountInput } from "../../kit/amount-input.tsx";
import { Button } from "../../kit/button.tsx";
import { Dialog, DialogActions } from "../../kit/dialog.tsx";
import { formatAllDigits, formatMoney } from "../../kit/format.ts";
import { Input, Select } from "../../kit/input.tsx";
import { Notice } from "../../kit/states.tsx";
import { toast } from "../../kit/toast.tsx";
import { Money } from "../../kit/values.tsx";

type Kind = "credit" | "correction";

interface Props {
  readonly account: Account;
  /** The current balance, newer than the account's. */
  readonly balance_micro: number;
  /** The kind of entry that the dialog begins with; null: the dialog is closed. */
  readonly kind: Kind | null;
  readonly onClose: () => void;
}

/** Credits an account or corrects its balance: asks for the amount, then for confirmation of the new balance. */
export function CreditDialog({ kind, ...props }: Props) {
  const { account, onClose } = props;
  return (
    <Dialog open={kind !== null} onClose={onClose} title={`Change the balance of ${account.name || account.email}`}>
      {kind !== null && <CreditForm {...props} first_kind={kind} />}
    </Dialog>
  );
}

const KINDS = [
  { value: "credit", label: "Credit: paid or granted" },
  { value: "correction", label: "Correction: fixes a mistake, up or down" },
];

const STALE = ["GET /accounts", "GET /accounts/{account}/credits", "GET /overview", "GET /overview/live"] as const;

function CreditForm({ account, balance_micro, first_kind, onClose }: Omit<Props, "kind"> & { first_kind: Kind }) {
  const [kind, setKind] = useState<Kind>(first_kind);
  const [typed, setTyped] = useState("");
  const [note, setNote] = useState("");
  const [once] = useState(newIdempotencyKey);
  const [checking, setChecking] = useState(false);
  const add = useChange("POST /accounts/{account}/credits", [...STALE, "GET /audit-log"]);
  const amount = readAmount(typed);
  const objection = typed.trim() === "" ? null : objectionTo(kind, amount, balance_micro);
  const booked = "problem" in amount || objection !== null ? null : amount;
  const onSubmit = (event: FormEvent) => {
    event.preventDefault();
    if (booked === null) return;
    if (!checking) return setChecking(true);
    const body = { amount: booked.text, kind, ...(note.trim() === "" ? {} : { note: note.trim() }) };
    add.mutate(
      { path: { account: account.id }, body, once },
      {
        onSuccess: ({ account: now }) => {
          onClose();
          toast(`The balance is ${formatMoney(now.balance_micro, now.currency)}`);
        },
      },
    );
  };
  if (checking && booked !== null)
    return (
      <form onSubmit={onSubmit} className="space-y-4">
        {add.error && <Notice tone="danger">{messageOf(add.error)}</Notice>}
        <p>
          {kind === "credit" ? "A credit of " : "A correction of "}
          <b className="font-semibold tabular-nums">{formatAllDigits(booked.micro, account.currency)}</b>
          {note.trim() === "" ? ", without a note" : `, “${note.trim()}”`}. Ledger entries are permanent. Fix mistakes
          with a correction.
        </p>
        <NewBalance from={balance_micro} by={booked.micro} currency={account.currency} />
        <DialogActions>
          <Button onClick={() => setChecking(false)}>Back</Button>
          <Button type="submit" kind="primary" busy={add.isPending}>
            {kind === "credit" ? "Add credit" : "Book correction"}
          </Button>
        </DialogActions>
      </form>
    );
  return (
    <form onSubmit={onSubmit} className="space-y-4">
      <Select
        label="Kind of entry"
        options={KINDS}
        value={kind}
        onChange={(event) => setKind(event.target.value === "correction" ? "correction" : "credit")}
      />
      <AmountInput
        label={`Amount in ${account.currency}`}
        currency={account.currency}
        required
        placeholder={kind === "credit" ? "25.00" : "-1.50"}
        help={kind === "credit" ? undefined : "Use a minus sign to subtract."}
        value={typed}
        error={objection ?? fieldError(add.error, "amount")}
        onChange={setTyped}
      />
      <Input
        label="Note"
        optional
        maxLength={500}
        placeholder={kind === "credit" ? "Invoice 2026-114" : "Refund of a failed job"}
        help="The account's members see it in their ledger."
        value={note}
        onChange={(event) => setNote(event.target.value)}
      />
      <NewBalance from={balance_micro} by={booked?.micro ?? 0} currency={account.currency} />
      <DialogActions>
        <Button onClick={onClose}>Cancel</Button>
        <Button type="submit" kind="primary" disabled={booked === null}>
          Continue
        </Button>
      </DialogActions>
    </form>
  );
}

function objectionTo(kind: Kind, amount: ReadAmount, balance_micro: number): string | null {
  if ("problem" in amount) return amount.problem;
  if (amount.micro === 0) return "Nothing would change.";
  if (kind === "credit" && amount.micro < 0) return "A credit adds. Choose a correction to take something off.";
  return balance_micro + amount.micro < 0 && amount.micro < 0 ? "The balance would be below zero." : null;
}

function NewBalance({ from, by, currency }: { from: number; by: number; currency: string }) {
  return (
    <dl className="flex flex-wrap gap-x-6 gap-y-2 rounded-lg bg-sunken px-4 py-3 *:flex-1" aria-live="polite">
      <div>
        <dt className="text-[0.85rem] text-ink-soft">Balance now</dt>
        <dd className="text-[1.15rem] font-semibold">
          <Money focusable micro={from} currency={currency} />
        </dd>
      </div>
      <div>
        <dt className="text-[0.85rem] text-ink-soft">New balance</dt>
        <dd className="text-[1.15rem] font-semibold">
          <Money focusable micro={from + by} currency={currency} />
        </dd>
      </div>
    </dl>
  );
}
