import { useState } from "react";
import {
  ACCOUNT_ALERT_TYPES,
  ALERT_TYPE_NAMES,
  ALERT_TYPE_WORDS,
  type AlertTypeName,
} from "../../../../contract/alert-types.ts";
import type { AlertTarget } from "../../../../contract/alerts.ts";
import { fieldError } from "../../api/api-error.ts";
import { useChange } from "../../api/use-api.ts";
import { Button } from "../../kit/button.tsx";
import { Dialog, DialogActions } from "../../kit/dialog.tsx";
import { DialogForm } from "../../kit/form.tsx";
import { Input, Select } from "../../kit/input.tsx";
import { NewSecret } from "../../kit/new-secret.tsx";
import { optionsOf } from "../../kit/options.ts";
import { Checkbox } from "../../kit/toggle.tsx";

type Channel = Exclude<AlertTarget["channel"], "s3" | "file">;

const PLACEHOLDERS: Readonly<Record<Channel, string>> = {
  mail: "ops@example.com",
  webhook: "https://hooks.example.com/camino",
  slack: "https://hooks.slack.com/services/…",
};

const CHANNELS = optionsOf({ mail: "E-mail", webhook: "Webhook", slack: "Slack" });

interface Props {
  /** Absent: the gateway. */
  readonly account: string | undefined;
  readonly sends_mail: boolean;
  readonly open: boolean;
  readonly onClose: () => void;
}

/** Adds a target, and shows the secret of a webhook. */
export function AddTargetDialog({ account, sends_mail, open, onClose }: Props) {
  const [made, setMade] = useState<AlertTarget | null>(null);
  const close = () => {
    setMade(null);
    onClose();
  };
  const added = (target: AlertTarget) => (target.secret === undefined ? close() : setMade(target));
  return (
    <Dialog open={open} onClose={close} title={made === null ? "Add a target" : "The secret of your webhook"}>
      {open && made === null && <TargetForm account={account} sends_mail={sends_mail} onClose={close} onMade={added} />}
      {made?.secret !== undefined && (
        <div className="space-y-4">
          <NewSecret secret={made.secret} />
          <p className="text-ink-soft">
            Check each webhook with it, by the Standard Webhooks specification. The list of targets has it as well.
          </p>
          <DialogActions>
            <Button kind="primary" onClick={close}>
              Done
            </Button>
          </DialogActions>
        </div>
      )}
    </Dialog>
  );
}

function TargetForm({
  account,
  sends_mail,
  onClose,
  onMade,
}: Omit<Props, "open"> & { readonly onMade: (made: AlertTarget) => void }) {
  const [channel, setChannel] = useState<Channel>(sends_mail ? "mail" : "webhook");
  const [address, setAddress] = useState("");
  const offered = account === undefined ? ALERT_TYPE_NAMES : ACCOUNT_ALERT_TYPES;
  const [types, setTypes] = useState<readonly AlertTypeName[]>(offered);
  const add = useChange("POST /alerts/targets", ["GET /alerts/targets"]);
  const error = fieldError(add.error, "to");
  return (
    <DialogForm
      error={error ? null : add.error}
      action="Add target"
      busy={add.isPending}
      disabled={address.trim() === "" || types.length === 0}
      onSubmit={() => {
        const some = types.length === offered.length ? {} : { types: [...types] };
        const body = { ...(account && { account }), to: `${channel}:${address.trim()}`, ...some };
        add.mutate({ body }, { onSuccess: onMade });
      }}
      onCancel={onClose}
    >
      <Select
        label="Kind"
        options={CHANNELS.filter(({ value }) => sends_mail || value !== "mail")}
        value={channel}
        onChange={(typed) => setChannel(CHANNELS.find(({ value }) => value === typed)?.value ?? "webhook")}
      />
      <Input
        label={channel === "mail" ? "E-mail address" : "Address"}
        required
        maxLength={1900}
        placeholder={PLACEHOLDERS[channel]}
        value={address}
        error={error}
        onChange={setAddress}
      />
      <fieldset>
        <legend className="mb-1.5 font-medium">What it hears</legend>
        <div className="max-h-72 space-y-2 overflow-y-auto pr-1">
          {offered.map((type) => (
            <Checkbox
              key={type}
              label={type}
              help={ALERT_TYPE_WORDS[type]}
              checked={types.includes(type)}
              onChange={(on) => setTypes(offered.filter((each) => (each === type ? on : types.includes(each))))}
            />
          ))}
        </div>
      </fieldset>
    </DialogForm>
  );
}
