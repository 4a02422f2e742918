import { useState } from "react";
import type { Account } from "../../../../contract/accounts.ts";
import { ApiError, fieldError } from "../../api/api-error.ts";
import { useChange } from "../../api/use-api.ts";
import { Dialog } from "../../kit/dialog.tsx";
import { DialogForm } from "../../kit/form.tsx";
import { Input } from "../../kit/input.tsx";
import { toastAnd } from "../../kit/toast.tsx";
import { type LimitDraft, limitDraftOf, limitFieldsOf } from "../keys/key-draft.ts";
import { RateFields } from "../keys/limit-fields.tsx";
import { ModelsField, modelsError } from "../keys/models-field.tsx";
import { TagLimitFields, tagDraftOf, tagFieldsOf } from "../keys/tag-limits.tsx";

interface Props {
  readonly account: Account;
  readonly open: boolean;
  readonly onClose: () => void;
}

/** Sets the limits over all keys of an account. */
export function LimitsDialog({ account, open, onClose }: Props) {
  return (
    <Dialog open={open} onClose={onClose} title={`Limits of ${account.name || account.email}`} wide>
      {open && <LimitsForm account={account} onClose={onClose} />}
    </Dialog>
  );
}

const STALE = [
  "GET /accounts",
  "GET /accounts/{account}",
  "GET /accounts/{account}/budget",
  "GET /accounts/{account}/model-limits",
  "GET /accounts/{account}/tag-limits",
  "GET /keys",
  "GET /keys/{key}",
  "GET /limits",
  "GET /limits/accounts",
  "GET /overview",
  "GET /audit-log",
] as const;

const HELP = {
  budget:
    "What all keys together can spend. Resets at the start of each day, week or month in the account's time zone.",
  rpm: "All keys together. Leave empty for no account limit.",
  tpm: "All keys together. Leave empty for no account limit.",
  concurrent: "All keys together. Leave empty for no account limit.",
};

function LimitsForm({ account, onClose }: Omit<Props, "open">) {
  const [draft, setDraft] = useState(() => limitDraftOf(account.limits));
  const [tags, setTags] = useState(() => tagDraftOf(account.limits));
  const [time_zone, setTimeZone] = useState(account.time_zone);
  const update = useChange("PATCH /accounts/{account}", STALE);
  const change = (part: Partial<LimitDraft>) => setDraft((before) => ({ ...before, ...part }));
  const onSubmit = () =>
    update.mutate(
      {
        path: { account: account.id },
        body: { ...limitFieldsOf(draft), ...tagFieldsOf(tags), ...(time_zone !== account.time_zone && { time_zone }) },
      },
      { onSuccess: toastAnd(onClose, "Limits saved") },
    );
  return (
    <DialogForm
      className="space-y-5"
      error={update.error instanceof ApiError && update.error.param !== null ? null : update.error}
      action="Save limits"
      busy={update.isPending}
      onCancel={onClose}
      onSubmit={onSubmit}
    >
      <p className="text-ink-soft">They apply in addition to each key's limits. The account's members can see them.</p>
      <RateFields draft={draft} onChange={change} error={update.error} help={HELP} />
      <TagLimitFields
        draft={tags}
        error={update.error}
        onChange={(part) => setTags((before) => ({ ...before, ...part }))}
      />
      <Input
        label="Time zone"
        help="In whose days the budgets of the account, its projects and keys reset, such as Europe/Berlin."
        list="time-zones"
        value={time_zone}
        error={fieldError(update.error, "time_zone")}
        onChange={(typed) => setTimeZone(typed.trim())}
      />
      <datalist id="time-zones">
        {["UTC", ...Intl.supportedValuesOf("timeZone")].map((name) => (
          <option key={name} value={name} />
        ))}
      </datalist>
      <ModelsField value={draft} onChange={change} error={modelsError(update.error)} />
    </DialogForm>
  );
}
