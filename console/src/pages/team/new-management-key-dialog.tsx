import { useState } from "react";
import type { CreatedManagementKey } from "../../../../contract/management-keys.ts";
import { ALL_SCOPES, SCOPES, type Scope } from "../../../../contract/permissions.ts";
import { useChange } from "../../api/use-api.ts";
import { Button } from "../../kit/button.tsx";
import { Dialog, DialogActions } from "../../kit/dialog.tsx";
import { DialogForm } from "../../kit/form.tsx";
import { Input } from "../../kit/input.tsx";
import { NewSecret } from "../../kit/new-secret.tsx";
import { Checkbox } from "../../kit/toggle.tsx";
import { useMay } from "../../kit/use-account.ts";
import { useTexts } from "../../kit/use-texts.ts";

interface Props {
  readonly open: boolean;
  readonly onClose: () => void;
  /** The only account that the key may reach; absent: all. */
  readonly account: string | undefined;
}

/** Makes a management key and shows it once. */
export function NewManagementKeyDialog({ open, onClose, account }: Props) {
  const [made, setMade] = useState<CreatedManagementKey | null>(null);
  const close = () => {
    setMade(null);
    onClose();
  };
  return (
    <Dialog
      open={open}
      onClose={close}
      title={made === null ? "New management key" : "Your new management key"}
      insist={made !== null}
    >
      {open && made === null && <KeyForm account={account} onClose={close} onMade={setMade} />}
      {made !== null && (
        <div className="space-y-4">
          <NewSecret secret={made.key} />
          <p className="text-ink-soft">
            Programs send it to the administration API as <code>authorization: Bearer cmm-…</code>. It cannot call
            models.
          </p>
          <DialogActions>
            <Button kind="primary" onClick={close}>
              I have copied it
            </Button>
          </DialogActions>
        </div>
      )}
    </Dialog>
  );
}

function KeyForm({
  account,
  onClose,
  onMade,
}: Omit<Props, "open"> & { readonly onMade: (made: CreatedManagementKey) => void }) {
  const [scopes, setScopes] = useState<readonly Scope[]>([]);
  const may = useMay();
  const create = useChange("POST /management-keys", ["GET /management-keys", "GET /audit-log"]);
  const offered = ALL_SCOPES.filter((scope) => scope !== "playground:use" && may(scope));
  const { texts, field, other_error } = useTexts({ name: "", expires_at: "" }, create.error);
  const { name, expires_at } = texts;
  return (
    <DialogForm
      error={other_error}
      action="Create key"
      busy={create.isPending}
      disabled={name.trim() === "" || scopes.length === 0}
      onSubmit={() => {
        const optional = { ...(account && { account }), ...(expires_at === "" ? {} : { expires_at }) };
        create.mutate({ body: { name: name.trim(), scopes: [...scopes], ...optional } }, { onSuccess: onMade });
      }}
      onCancel={onClose}
    >
      <Input
        label="Name"
        required
        maxLength={200}
        placeholder="Nightly report"
        help="The audit log shows it with every change that the key makes."
        {...field("name")}
      />
      <Input label="Expires" type="date" optional {...field("expires_at")} />
      <fieldset>
        <legend className="mb-1.5 font-medium">What it may do</legend>
        <div className="max-h-72 space-y-2 overflow-y-auto pr-1">
          {offered.map((scope) => (
            <Checkbox
              key={scope}
              label={scope}
              help={SCOPES[scope]}
              checked={scopes.includes(scope)}
              onChange={(on) => setScopes(on ? [...scopes, scope] : scopes.filter((each) => each !== scope))}
            />
          ))}
        </div>
      </fieldset>
    </DialogForm>
  );
}
