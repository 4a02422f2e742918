import { useState } from "react";
import { readAmount } from "../../../../contract/amounts.ts";
import type { BudgetUse } from "../../../../contract/budgets.ts";
import type { Scope } from "../../../../contract/permissions.ts";
import { fieldError } from "../../api/api-error.ts";
import type { ReadName } from "../../api/endpoints.ts";
import { useChange } from "../../api/use-api.ts";
import { AmountInput } from "../../kit/amount-input.tsx";
import { Button } from "../../kit/button.tsx";
import { Dialog } from "../../kit/dialog.tsx";
import { DialogForm } from "../../kit/form.tsx";
import { Select } from "../../kit/input.tsx";
import { Notice } from "../../kit/states.tsx";
import { toastAnd } from "../../kit/toast.tsx";
import { useMay } from "../../kit/use-account.ts";
import { Money, Time } from "../../kit/values.tsx";

/** The holder of the budget that is raised. */
type Raised = { readonly key: string } | { readonly project: string } | { readonly account: string };

const STALE: readonly ReadName[] = [
  "GET /budgets",
  "GET /projects",
  "GET /accounts/{account}/budget",
  "GET /keys",
  "GET /keys/{key}",
  "GET /audit-log",
];

const HOUR_MS = 3_600_000;
const TIMES = [
  { value: "1", label: "For an hour" },
  { value: "24", label: "For a day" },
  { value: "168", label: "For a week" },
  { value: "720", label: "For 30 days" },
] as const;

interface Props {
  readonly of: Raised;
  /** For the title: "Search team". */
  readonly name: string;
  readonly use: BudgetUse;
  readonly currency: string;
  readonly open: boolean;
  readonly onClose: () => void;
}

/** Raises a budget for a while, or ends a raise early. */
export function RaiseDialog({ open, onClose, name, ...rest }: Props) {
  return (
    <Dialog open={open} onClose={onClose} title={`Raise the budget of ${name}`}>
      {open && <RaiseForm {...rest} onClose={onClose} />}
    </Dialog>
  );
}

/** The button that raises a budget, for those who may. */
export function RaiseButton({ scope, ...rest }: Omit<Props, "open" | "onClose"> & { scope: Scope }) {
  const [asking, setAsking] = useState(false);
  if (!useMay()(scope)) return null;
  return (
    <>
      <Button kind="quiet" size="small" onClick={() => setAsking(true)} className="mt-1 -ml-2.5">
        Raise for a while
      </Button>
      <RaiseDialog {...rest} open={asking} onClose={() => setAsking(false)} />
    </>
  );
}

/** The calls for a holder of a budget. */
function useRaise(of: Raised) {
  const of_key = useChange("PUT /keys/{key}/raise", STALE);
  const of_project = useChange("PUT /projects/{project}/raise", STALE);
  const of_account = useChange("PUT /accounts/{account}/raise", STALE);
  const change = "key" in of ? of_key : "project" in of ? of_project : of_account;
  const send = (body: { raise: { amount: string; until: string } | null }, onSuccess: () => void) => {
    if ("key" in of) of_key.mutate({ path: of, body }, { onSuccess });
    else if ("project" in of) of_project.mutate({ path: of, body }, { onSuccess });
    else of_account.mutate({ path: of, body }, { onSuccess });
  };
  return { send, error: change.error, busy: change.isPending };
}

function RaiseForm({ of, use, currency, onClose }: Omit<Props, "open" | "name">) {
  const [amount, setAmount] = useState("");
  const [hours, setHours] = useState("24");
  const { send, error, busy } = useRaise(of);
  const amount_error = fieldError(error, "raise.amount");
  const onSubmit = () => {
    const read = readAmount(amount);
    const until = new Date(Date.now() + Number(hours) * HOUR_MS).toISOString();
    send(
      { raise: { amount: "problem" in read ? amount.trim() : read.text, until } },
      toastAnd(onClose, "The budget is raised"),
    );
  };
  return (
    <DialogForm
      error={amount_error ? null : error}
      action="Raise budget"
      busy={busy}
      other={
        use.raise && (
          <Button busy={busy} onClick={() => send({ raise: null }, toastAnd(onClose, "The raise has ended"))}>
            End the raise now
          </Button>
        )
      }
      onSubmit={onSubmit}
      onCancel={onClose}
    >
      <p className="text-ink-soft">
        The raise is added to the budget of <Money micro={use.amount_micro} currency={currency} />, takes effect with
        the next request, and ends automatically.
      </p>
      {use.raise && (
        <Notice tone="info">
          It is raised by <Money micro={use.raise.amount_micro} currency={currency} /> until{" "}
          <Time clock at={use.raise.until} />. Another raise takes its place.
        </Notice>
      )}
      <div className="grid items-start gap-3 sm:grid-cols-2">
        <AmountInput
          label="Raise by"
          required
          currency={currency}
          value={amount}
          error={amount_error}
          onChange={setAmount}
        />
        <Select label="How long" options={TIMES} value={hours} onChange={setHours} />
      </div>
    </DialogForm>
  );
}
