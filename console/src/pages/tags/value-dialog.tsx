import { useState } from "react";
import { amountText, readAmount } from "../../../../contract/amounts.ts";
import type { SetTagValue, TagValue } from "../../../../contract/tag-limits.ts";
import { fieldError } from "../../api/api-error.ts";
import type { ReadName } from "../../api/endpoints.ts";
import { useChange } from "../../api/use-api.ts";
import { AmountInput } from "../../kit/amount-input.tsx";
import { Button } from "../../kit/button.tsx";
import { Dialog } from "../../kit/dialog.tsx";
import { DialogForm } from "../../kit/form.tsx";
import { Input, Select } from "../../kit/input.tsx";
import { toastAnd } from "../../kit/toast.tsx";
import { WINDOWS, type Window } from "../keys/key-draft.ts";

/** The limit that a value belongs to: of the account, of the gateway, or of a project by its id. */
export interface OfLimit {
  readonly account: string;
  readonly tag: string;
  readonly holder: string;
}

const STALE: readonly ReadName[] = [
  "GET /accounts/{account}/tags/{tag}/values",
  "GET /projects/{project}/tags/{tag}/values",
  "GET /accounts/{account}/tag-limits",
  "GET /audit-log",
];

interface Props {
  readonly of: OfLimit;
  /** The value; null: one that is typed. */
  readonly value: TagValue | null;
  readonly open: boolean;
  readonly onClose: () => void;
}

/** Gives a value of a tag its own limits, or takes them away. */
export function ValueDialog({ open, onClose, value, of }: Props) {
  const title = value === null ? `Limit a value of ${of.tag}` : `Limits of ${value.value}`;
  return (
    <Dialog open={open} onClose={onClose} title={title}>
      {open && <ValueForm of={of} value={value} onClose={onClose} />}
    </Dialog>
  );
}

function useSetValue({ account, tag, holder }: OfLimit) {
  const of_account = useChange("PUT /accounts/{account}/tags/{tag}/values", STALE);
  const of_project = useChange("PUT /projects/{project}/tags/{tag}/values", STALE);
  const shared = holder === "account" || holder === "gateway" ? holder : null;
  const send = (body: SetTagValue, onSuccess: () => void) => {
    if (shared === null) of_project.mutate({ path: { project: holder, tag }, body }, { onSuccess });
    else of_account.mutate({ path: { account, tag }, body: { ...body, of: shared } }, { onSuccess });
  };
  const { error, isPending } = shared === null ? of_project : of_account;
  return { send, error, busy: isPending };
}

function ValueForm({ of, value: known, onClose }: Omit<Props, "open">) {
  const own = (name: "rpm" | "tpm" | "concurrent") => (known?.own.includes(name) ? String(known[name] ?? "") : "");
  const budget = known?.own.includes("budget") ? known.budget : null;
  const [value, setValue] = useState(known?.value ?? "");
  const [amount, setAmount] = useState(budget === null ? "" : amountText(budget.amount_micro));
  const [window, setWindow] = useState<Window>(known?.budget?.window ?? "day");
  const [rates, setRates] = useState({ rpm: own("rpm"), tpm: own("tpm"), concurrent: own("concurrent") });
  const { send, error, busy } = useSetValue(of);
  const onSubmit = () => {
    const count = (text: string) => (text.trim() === "" ? null : Number(text));
    const read = readAmount(amount);
    const typed = "problem" in read ? amount.trim() : read.text;
    const limits = {
      rpm: count(rates.rpm),
      tpm: count(rates.tpm),
      concurrent: count(rates.concurrent),
      budget: amount.trim() === "" ? null : { amount: typed, window },
    };
    send({ value: value.trim(), limits }, toastAnd(onClose, "Limits saved"));
  };
  const amount_error = fieldError(error, "limits.budget.amount");
  return (
    <DialogForm
      error={amount_error || fieldError(error, "value") ? null : error}
      action="Save limits"
      busy={busy}
      other={
        known !== null &&
        known.own.length > 0 && (
          <Button
            busy={busy}
            onClick={() => send({ value, limits: null }, toastAnd(onClose, "It has the limits of all values"))}
          >
            Same as all
          </Button>
        )
      }
      onSubmit={onSubmit}
      onCancel={onClose}
    >
      <p className="text-ink-soft">They replace the limits of all values. What is left empty stays as for all.</p>
      {known === null && (
        <Input label="Value" required value={value} error={fieldError(error, "value")} onChange={setValue} />
      )}
      <div className="grid items-start gap-3 sm:grid-cols-2">
        <AmountInput label="Budget" optional value={amount} error={amount_error} onChange={setAmount} />
        <Select label="For" options={WINDOWS} value={window} onChange={(typed) => setWindow(typed as Window)} />
      </div>
      <div className="grid items-start gap-3 sm:grid-cols-3">
        {RATES.map(({ name, label }) => (
          <Input
            key={name}
            label={label}
            optional
            type="number"
            min={1}
            max={1_000_000_000}
            inputMode="numeric"
            value={rates[name]}
            onChange={(typed) => setRates((before) => ({ ...before, [name]: typed }))}
          />
        ))}
      </div>
    </DialogForm>
  );
}

const RATES = [
  { name: "rpm", label: "Requests per minute" },
  { name: "tpm", label: "Tokens per minute" },
  { name: "concurrent", label: "Concurrent requests" },
] as const;
