import { fieldError } from "../../api/api-error.ts";
import { Input, Select } from "../../kit/input.tsx";
import { ExpiryField } from "./expiry-field.tsx";
import type { KeyDraft, Window } from "./key-draft.ts";

const WINDOWS: readonly { readonly value: Window; readonly label: string }[] = [
  { value: "day", label: "a day" },
  { value: "week", label: "a week" },
  { value: "month", label: "a month" },
];

interface Props {
  readonly draft: KeyDraft;
  readonly onChange: (changes: Partial<KeyDraft>) => void;
  readonly error: unknown;
}

/** The fields of a key's budget, rates and expiry. */
export function LimitFields({ draft, onChange, error }: Props) {
  return (
    <div className="space-y-5">
      <Budget draft={draft} onChange={onChange} error={error} />
      <div className="grid items-start gap-3 sm:grid-cols-3">
        <Limit
          name="rpm"
          label="Requests a minute"
          help="Empty: the gateway's usual limit."
          {...{ draft, onChange, error }}
        />
        <Limit name="tpm" label="Tokens a minute" help="Empty: unlimited." {...{ draft, onChange, error }} />
        <Limit
          name="concurrent"
          label="Requests at once"
          help="Empty: the gateway's usual limit."
          {...{ draft, onChange, error }}
        />
      </div>
      <ExpiryField
        value={draft.expires_at}
        onChange={(expires_at) => onChange({ expires_at })}
        error={fieldError(error, "expires_at")}
      />
    </div>
  );
}

function Budget({ draft, onChange, error }: Props) {
  return (
    <div className="grid items-start gap-3 sm:grid-cols-2">
      <Input
        label="Budget"
        optional
        mono
        inputMode="decimal"
        placeholder="25"
        help="What the key may spend in each window. Windows are those of the calendar, in UTC."
        value={draft.budget}
        error={fieldError(error, "budget.amount") ?? fieldError(error, "budget")}
        onChange={(event) => onChange({ budget: event.target.value })}
      />
      <Select
        label="For"
        options={WINDOWS}
        value={draft.budget_window}
        onChange={(event) => onChange({ budget_window: event.target.value as Window })}
      />
    </div>
  );
}

function Limit({
  name,
  label,
  help,
  draft,
  onChange,
  error,
}: Props & { name: "rpm" | "tpm" | "concurrent"; label: string; help: string }) {
  return (
    <Input
      label={label}
      optional
      type="number"
      min={1}
      max={1_000_000_000}
      step={1}
      inputMode="numeric"
      help={help}
      value={draft[name]}
      error={fieldError(error, name)}
      onChange={(event) => onChange({ [name]: event.target.value })}
    />
  );
}
