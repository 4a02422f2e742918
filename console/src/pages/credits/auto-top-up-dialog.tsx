import { amountText, readAmount } from "../../../../contract/amounts.ts";
import type { AutoTopUp } from "../../../../contract/auto-top-up.ts";
import { useChange } from "../../api/use-api.ts";
import { AmountInput } from "../../kit/amount-input.tsx";
import { Dialog } from "../../kit/dialog.tsx";
import { DialogForm } from "../../kit/form.tsx";
import { toastAnd } from "../../kit/toast.tsx";
import { useTexts } from "../../kit/use-texts.ts";

const FIELDS = [
  { name: "threshold", label: "When the balance would fall below", placeholder: "5", help: undefined },
  { name: "amount", label: "Add", placeholder: "25", help: "At least the amount above." },
  { name: "month_limit", label: "Monthly maximum", placeholder: "200", help: "Months are calendar months in UTC." },
] as const;
type TopUpField = (typeof FIELDS)[number]["name"];

/** Sets or changes the rule. The API's refusal is shown at the wrong field. */
export function AutoTopUpDialog({ data, open, onClose }: { data: AutoTopUp; open: boolean; onClose: () => void }) {
  const title = data.rule === null ? "Set automatic top-up" : "Change automatic top-up";
  return (
    <Dialog
      open={open}
      onClose={onClose}
      title={title}
      description="Adds credit automatically when the balance is low."
    >
      {open && <RuleForm data={data} onClose={onClose} />}
    </Dialog>
  );
}

function RuleForm({ data, onClose }: { data: AutoTopUp; onClose: () => void }) {
  const { rule, account, currency } = data;
  const save = useChange("PUT /credits/auto-top-up", ["GET /credits/auto-top-up"]);
  const { texts, field, other_error } = useTexts<TopUpField>(
    {
      threshold: rule ? amountText(rule.threshold_micro) : "",
      amount: rule ? amountText(rule.amount_micro) : "",
      month_limit: rule ? amountText(rule.month_limit_micro) : "",
    },
    save.error,
  );
  return (
    <DialogForm
      error={other_error}
      action={rule === null ? "Set rule" : "Save rule"}
      busy={save.isPending}
      onSubmit={() => {
        const body = amountsOf(texts);
        if (body === null) return;
        save.mutate({ query: { account }, body }, { onSuccess: toastAnd(onClose, "Automatic top-up set") });
      }}
      onCancel={onClose}
    >
      {FIELDS.map(({ name, label, placeholder, help }) => (
        <AmountInput
          key={name}
          label={`${label} (${currency})`}
          currency={currency}
          required
          placeholder={placeholder}
          help={help}
          {...field(name)}
        />
      ))}
    </DialogForm>
  );
}

/** The amounts as the API takes them; null where the form shows why a text is no amount. */
function amountsOf(values: Readonly<Record<TopUpField, string>>): Record<TopUpField, string> | null {
  const text = (name: TopUpField) => {
    const read = readAmount(values[name]);
    return "problem" in read ? null : read.text;
  };
  const [threshold, amount, month_limit] = [text("threshold"), text("amount"), text("month_limit")];
  return threshold === null || amount === null || month_limit === null ? null : { threshold, amount, month_limit };
}
