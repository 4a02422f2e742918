import { useState } from "react";
import type { Vendor } from "../../../../contract/vendors.ts";
import { fieldError } from "../../api/api-error.ts";
import { useChange } from "../../api/use-api.ts";
import { Dialog } from "../../kit/dialog.tsx";
import { DialogForm } from "../../kit/form.tsx";
import { Input, Select, Textarea } from "../../kit/input.tsx";
import { toast } from "../../kit/toast.tsx";
import {
  askedSettings,
  credentialBody,
  type FormKind,
  formKinds,
  keyRows,
  NOTHING_TYPED,
  type TypedCredential,
} from "./credential-kinds.ts";
import { KeyRows } from "./key-rows.tsx";

const STALE = ["GET /vendors", "GET /vendors/{vendor}", "GET /models", "GET /routes", "GET /prices"] as const;

/** Sets a credential. The typed values are forgotten when the dialog closes. */
export function CredentialDialog({
  vendor,
  open,
  onClose,
  onSet,
}: {
  vendor: Vendor;
  open: boolean;
  onClose: () => void;
  onSet: () => void;
}) {
  return (
    <Dialog
      open={open}
      onClose={onClose}
      title={`${vendor.credential.stored === null ? "Set" : "Replace"} the credential of ${vendor.name}`}
      description="Stored encrypted; never shown again."
    >
      {open && <CredentialForm vendor={vendor} onClose={onClose} onSet={onSet} />}
    </Dialog>
  );
}

function CredentialForm({ vendor, onClose, onSet }: { vendor: Vendor; onClose: () => void; onSet: () => void }) {
  const { id, credential, missing, settings } = vendor;
  const kinds = formKinds(credential.kinds);
  const [kind, setKind] = useState<FormKind>(credential.keys.length > 0 ? "api_keys" : (kinds[0]?.value ?? "api_key"));
  const [typed, setTyped] = useState<TypedCredential>({ ...NOTHING_TYPED, api_keys: keyRows(credential) });
  const save = useChange("PUT /vendors/{vendor}/credential", [...STALE, "GET /audit-log"]);
  const asked = askedSettings(
    kind,
    settings.filter(({ name }) => missing.includes(name)).map(({ name }) => name),
  );
  const body = credentialBody(kind, typed, asked);
  const type = (field: keyof Omit<TypedCredential, "settings" | "api_keys">) => (text: string) =>
    setTyped({ ...typed, [field]: text });
  return (
    <DialogForm
      error={fieldError(save.error, kind) === null ? save.error : null}
      action={credential.stored === null ? "Set credential" : "Replace credential"}
      busy={save.isPending}
      disabled={body === null}
      onCancel={onClose}
      onSubmit={() => {
        if (body === null) return;
        save.mutate(
          { path: { vendor: id }, body },
          {
            onSuccess: () => {
              onClose();
              onSet();
              toast("Credential set. It takes effect with the next request.");
            },
          },
        );
      }}
    >
      {kinds.length > 1 && (
        <Select
          label="Kind"
          options={kinds}
          value={kind}
          onChange={(typed) => setKind(kinds.find(({ value }) => value === typed)?.value ?? kind)}
        />
      )}
      {kind === "api_key" && (
        <Secret
          label="API key"
          value={typed.api_key}
          error={fieldError(save.error, "api_key")}
          onType={type("api_key")}
        />
      )}
      {kind === "api_keys" && (
        <KeyRows
          rows={typed.api_keys}
          label={credential.kinds.includes("google_service_account") ? "Key file" : "API key"}
          onChange={(api_keys) => setTyped({ ...typed, api_keys })}
        />
      )}
      {kind === "aws" && <AwsFields typed={typed} onType={type} />}
      {kind === "google_service_account" && (
        <Textarea
          label="Key file"
          mono
          required
          rows={6}
          spellCheck={false}
          autoComplete="off"
          placeholder='{ "type": "service_account", … }'
          help="The JSON text of the service account's key file."
          value={typed.google_service_account}
          error={fieldError(save.error, "google_service_account")}
          onChange={type("google_service_account")}
        />
      )}
      {asked.map((name) => (
        <Input
          key={name}
          label={name}
          mono
          required
          help="A part of its address: letters, digits and hyphens."
          value={typed.settings[name] ?? ""}
          onChange={(text) => setTyped({ ...typed, settings: { ...typed.settings, [name]: text } })}
        />
      ))}
    </DialogForm>
  );
}

/** A password field that browsers do not offer to save as a password of the console. */
function Secret({
  label,
  value,
  error,
  optional,
  onType,
}: {
  label: string;
  value: string;
  error?: string | null;
  optional?: boolean;
  onType: (text: string) => void;
}) {
  return (
    <Input
      label={label}
      type="password"
      mono
      optional={optional ?? false}
      required={optional !== true}
      autoComplete="new-password"
      spellCheck={false}
      value={value}
      error={error}
      onChange={onType}
    />
  );
}

function AwsFields({
  typed,
  onType,
}: {
  typed: TypedCredential;
  onType: (field: keyof Omit<TypedCredential, "settings" | "api_keys">) => (text: string) => void;
}) {
  return (
    <>
      <div className="grid gap-4 sm:grid-cols-2">
        <Input label="Access key id" mono required value={typed.access_key_id} onChange={onType("access_key_id")} />
        <Input label="Region" mono required placeholder="us-east-1" value={typed.region} onChange={onType("region")} />
      </div>
      <Secret label="Secret access key" value={typed.secret_access_key} onType={onType("secret_access_key")} />
      <Secret label="Session token" optional value={typed.session_token} onType={onType("session_token")} />
    </>
  );
}
