import type { KeyCeilings } from "../../../../contract/keys.ts";
import { fieldError } from "../../api/api-error.ts";
import { AmountInput } from "../../kit/amount-input.tsx";
import { Input, Select } from "../../kit/input.tsx";
import { useCurrency } from "../../kit/use-currency.ts";
import { CacheField } from "./cache-field.tsx";
import { ceilingText } from "./ceiling-text.ts";
import { ExpiryField } from "./expiry-field.tsx";
import { type KeyDraft, type LimitDraft, WINDOWS, type Window } from "./key-draft.ts";
import { ModelLimitsField } from "./model-limits.tsx";

interface Props {
  readonly draft: KeyDraft;
  readonly onChange: (changes: Partial<KeyDraft>) => void;
  readonly error: unknown;
  /** The highest values that members may set; absent for a new key. */
  readonly ceilings?: KeyCeilings;
}

interface RateProps {
  readonly draft: LimitDraft;
  readonly onChange: (changes: Partial<LimitDraft>) => void;
  readonly error: unknown;
  readonly help: Help;
}

/** The placeholder of an empty field, and its highest value. */
type Help = Readonly<Record<"rpm" | "tpm" | "concurrent" | "budget", string>>;

const KEY_HELP: Help = {
  budget: "What the key can spend. Resets at the start of each day, week or month in the account's time zone.",
  rpm: "Leave empty for the gateway's default.",
  tpm: "Empty: unlimited.",
  concurrent: "Leave empty for the gateway's default.",
};

/** The fields of a key's budget, rates and expiry. */
export function LimitFields({ draft, onChange, error, ceilings }: Props) {
  const currency = useCurrency();
  const help = ceilings === undefined ? KEY_HELP : withCeilings(ceilings, currency);
  return (
    <div className="space-y-5">
      <RateFields {...{ draft, onChange, error, help }} />
      <ExpiryField
        value={draft.expires_at}
        onChange={(expires_at) => onChange({ expires_at })}
        error={fieldError(error, "expires_at")}
      />
      {ceilings?.expires_at && <p className="text-[0.85rem] text-ink-soft">{ceilingText(ceilings, "expires_at")}</p>}
      <CacheField
        value={draft.cache}
        help="How old an answer can be that a call with x-camino-cache: on gets again. Empty: as the project says."
        error={error}
        onChange={(cache) => onChange({ cache })}
      />
    </div>
  );
}

function withCeilings(ceilings: KeyCeilings, currency: string | undefined): Help {
  const told = (name: keyof Help) =>
    [KEY_HELP[name], ceilingText(ceilings, name, currency)].filter((text) => text !== "").join(" ");
  return { budget: told("budget"), rpm: told("rpm"), tpm: told("tpm"), concurrent: told("concurrent") };
}

/** The fields of a budget and of rates, which keys and accounts have alike. */
export function RateFields({ draft, onChange, error, help }: RateProps) {
  return (
    <>
      <Budget {...{ draft, onChange, error, help }} />
      <div className="grid items-start gap-3 md:grid-cols-3">
        <Limit name="rpm" label="Requests per minute" {...{ draft, onChange, error, help }} />
        <Limit name="tpm" label="Tokens per minute" {...{ draft, onChange, error, help }} />
        <Limit name="concurrent" label="Concurrent requests" {...{ draft, onChange, error, help }} />
      </div>
      <ModelLimitsField {...{ draft, onChange, error }} />
    </>
  );
}

function Budget({ draft, onChange, error, help }: RateProps) {
  return (
    <div className="grid items-start gap-3 sm:grid-cols-2">
      <AmountInput
        label="Budget"
        optional
        placeholder="25"
        help={help.budget}
        value={draft.budget}
        error={fieldError(error, "budget.amount") ?? fieldError(error, "budget")}
        onChange={(budget) => onChange({ budget })}
      />
      <Select
        label="For"
        options={WINDOWS}
        value={draft.budget_window}
        onChange={(typed) => onChange({ budget_window: typed as Window })}
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
}: RateProps & { name: "rpm" | "tpm" | "concurrent"; label: string }) {
  return (
    <Input
      label={label}
      optional
      type="number"
      min={1}
      max={1_000_000_000}
      step={1}
      inputMode="numeric"
      help={help[name]}
      value={draft[name]}
      error={fieldError(error, name)}
      onChange={(typed) => onChange({ [name]: typed })}
    />
  );
}
