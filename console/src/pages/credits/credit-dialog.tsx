import { useState } from "react";
import type { Account } from "../../../../contract/accounts.ts";
import { type ReadAmount, readAmount } from "../../../../contract/amounts.ts";
import { fieldError } from "../../api/api-error.ts";
import { newIdempotencyKey } from "../../api/idempotency-key.ts";
import { useChange } from "../../api/use-api.ts";
import { AmountInput } from "../../kit/amount-input.tsx";
import { Button } from "../../kit/button.tsx";
import { Dialog, DialogActions } from "../../kit/dialog.tsx";
import { DialogForm, Form } from "../../kit/form.tsx";
import { formatAllDigits } from "../../kit/format.ts";
import { Input, Select } from "../../kit/input.tsx";
import { optionsOf } from "../../kit/options.ts";
import { toast } from "../../kit/toast.tsx";

export type Kind = "credit" | "correction";

interface Props {
  /** With its newest balance. */
  readonly account: Account;
  /** The kind of entry that the dialog begins with; null: the dialog is closed. */
  readonly kind: Kind | null;
  readonly onClose: () => void;
}

const KINDS = optionsOf<Kind>({ credit: "Credit", correction: "Correction" });

/** Books a credit or a correction: asks for the amount, then for confirmation of the resulting balance. */
export function CreditDialog({ account, kind, onClose }: Props) {
  return (
    <Dialog
      open={kind !== null}
      onClose={onClose}
      title={kind === "correction" ? "Correct the balance" : "Add credit"}
      description={`For ${account.name || account.email}.`}
    >
      {kind !== null && <CreditForm account={account} first_kind={kind} onClose={onClose} />}
    </Dialog>
  );
}

function CreditForm({ account, first_kind, onClose }: Omit<Props, "kind"> & { first_kind: Kind }) {
  const [kind, setKind] = useState<Kind>(first_kind);
  const [typed, setTyped] = useState("");
  const [note, setNote] = useState("");
  const [once] = useState(newIdempotencyKey);
  const [tried, setTried] = useState(false);
  const [asking, setAsking] = useState(false);
  const book = useChange("POST /accounts/{account}/credits", [
    "GET /accounts/{account}",
    "GET /accounts/{account}/credits",
    "GET /accounts",
    "GET /overview",
    "GET /overview/live",
    "GET /audit-log",
  ]);
  const amount = readAmount(typed);
  const problem = problemOf(kind, amount, account.balance_micro);
  if (asking && problem === null && !("problem" in amount)) {
    const send = () =>
      book.mutate(
        { path: { account: account.id }, body: { amount: amount.text, kind, note: note.trim() }, once },
        {
          onSuccess: ({ account: after }) => {
            toast(`Booked. The balance is ${formatAllDigits(after.balance_micro, after.currency)}`);
            onClose();
          },
          onError: () => setAsking(false),
        },
      );
    return (
      <Confirmation
        account={account}
        amount={amount.micro}
        note={note.trim()}
        busy={book.isPending}
        onBack={() => setAsking(false)}
        onConfirm={send}
      />
    );
  }
  const refused = fieldError(book.error, "amount");
  return (
    <DialogForm
      error={refused === null ? book.error : null}
      action="Continue"
      onCancel={onClose}
      onSubmit={() => {
        setTried(true);
        setAsking(problem === null);
      }}
    >
      <div className="grid gap-4 sm:grid-cols-2">
        <AmountInput
          label={`Amount in ${account.currency}`}
          currency={account.currency}
          placeholder="25.00"
          value={typed}
          error={tried ? (problem ?? refused) : refused}
          onChange={(text) => {
            setTyped(text);
            // A credit only adds.
            if (text.trim().startsWith("-")) setKind("correction");
          }}
        />
        <Select
          label="Kind"
          options={KINDS}
          help={kind === "correction" ? "Use a minus sign to subtract." : "Paid or granted."}
          value={kind}
          onChange={(typed) => setKind(typed as Kind)}
        />
      </div>
      <Input
        label="Note"
        optional
        maxLength={500}
        placeholder="Invoice 2026-118"
        help="The account's members see it."
        value={note}
        onChange={setNote}
      />
    </DialogForm>
  );
}

function problemOf(kind: Kind, amount: ReadAmount, balance_micro: number): string | null {
  if ("problem" in amount) return amount.problem;
  if (kind === "credit" && amount.micro <= 0) return "Enter an amount above 0.";
  if (amount.micro === 0) return "Enter an amount other than 0.";
  return amount.micro < 0 && balance_micro + amount.micro < 0 ? "The balance would be below zero." : null;
}

function Confirmation({
  account,
  amount,
  note,
  busy,
  onBack,
  onConfirm,
}: {
  account: Account;
  amount: number;
  note: string;
  busy: boolean;
  onBack: () => void;
  onConfirm: () => void;
}) {
  const { balance_micro, currency } = account;
  const lines = [
    ["Balance now", formatAllDigits(balance_micro, currency)],
    [amount > 0 ? "Added" : "Taken away", formatAllDigits(amount, currency, { signed: true })],
    ["New balance", formatAllDigits(balance_micro + amount, currency)],
  ] as const;
  return (
    <Form className="" onSubmit={onConfirm}>
      <dl className="divide-y divide-line rounded-lg border border-line">
        {lines.map(([name, value]) => (
          <div key={name} className="flex justify-between gap-4 px-3.5 py-2.5 last:font-semibold">
            <dt>{name}</dt>
            <dd className="tabular-nums">{value}</dd>
          </div>
        ))}
      </dl>
      <p className="mt-3 text-[0.9rem] text-ink-soft">
        {note === "" ? "Without a note." : `Note: “${note}”.`} Ledger entries are permanent. Fix mistakes with a
        correction.
      </p>
      <DialogActions>
        <Button onClick={onBack}>Back</Button>
        <Button type="submit" kind="primary" busy={busy} deliberate autoFocus>
          {amount > 0 ? "Add" : "Take away"} {formatAllDigits(Math.abs(amount), currency)}
        </Button>
      </DialogActions>
    </Form>
  );
}
