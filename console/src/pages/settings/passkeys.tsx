import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import type { Passkey } from "../../../../contract/session.ts";
import { addPasskey } from "../../api/passkeys.ts";
import { sessionQuery } from "../../api/session.ts";
import { apiQuery, useApi, useChange } from "../../api/use-api.ts";
import { Badge } from "../../kit/badge.tsx";
import { Button } from "../../kit/button.tsx";
import { Card } from "../../kit/card.tsx";
import { ConfirmDialog, Dialog } from "../../kit/dialog.tsx";
import { DialogForm } from "../../kit/form.tsx";
import { Input } from "../../kit/input.tsx";
import { EmptyState, Loaded, Notice } from "../../kit/states.tsx";
import { toast } from "../../kit/toast.tsx";
import { useAttempt } from "../../kit/use-attempt.ts";
import { Time } from "../../kit/values.tsx";

/** The user's passkeys, and the button that adds another. */
export function Passkeys() {
  const queries = useQueryClient();
  const passkeys = useApi("GET /me/passkeys", {});
  const methods = useQuery(apiQuery("GET /session/methods", {}));
  const [adding, setAdding] = useState(false);
  const [removing, setRemoving] = useState<Passkey | null>(null);
  const remove = useChange("DELETE /me/passkeys/{id}", ["GET /me/passkeys"]);
  const available = (methods.data?.passkeys ?? false) && "PublicKeyCredential" in window;
  // The session has the number of passkeys too.
  const refreshUser = () => queries.invalidateQueries({ queryKey: sessionQuery.queryKey });
  const add = async (name: string) => {
    await addPasskey(name);
    await Promise.all([queries.invalidateQueries({ queryKey: ["GET /me/passkeys"] }), refreshUser()]);
    toast("Passkey added");
  };
  return (
    <Card
      title="Passkeys"
      description="Sign in with your fingerprint, face or device PIN in place of a password."
      actions={
        available && (
          <Button icon="plus" onClick={() => setAdding(true)}>
            Add a passkey
          </Button>
        )
      }
      flush
    >
      {methods.data?.passkeys === false && (
        <div className="px-4 pb-3 sm:px-5">
          <Notice>
            Browsers have passkeys for host names only: open the console by a name such as localhost to add one.
          </Notice>
        </div>
      )}
      <Loaded query={passkeys}>
        {({ data }) =>
          data.length === 0 ? (
            <EmptyState icon="passkey" title="No passkeys yet" />
          ) : (
            <ul className="divide-y divide-line border-t border-line">
              {data.map((passkey) => (
                <PasskeyRow key={passkey.id} passkey={passkey} onRemove={() => setRemoving(passkey)} />
              ))}
            </ul>
          )
        }
      </Loaded>
      <AddPasskeyDialog open={adding} onClose={() => setAdding(false)} onAdd={add} />
      <ConfirmDialog
        open={removing !== null}
        onClose={() => setRemoving(null)}
        title={`Remove ${removing?.name ? `the passkey ${removing.name}` : "this passkey"}?`}
        action="Remove passkey"
        danger
        onConfirm={async () => {
          await remove.mutateAsync({ path: { id: removing?.id ?? "" } });
          await refreshUser();
          toast("Passkey removed");
        }}
      >
        It no longer signs you in. Your device may keep offering it until you delete it there too.
      </ConfirmDialog>
    </Card>
  );
}

function PasskeyRow({ passkey, onRemove }: { passkey: Passkey; onRemove: () => void }) {
  return (
    <li className="flex flex-wrap items-center gap-x-4 gap-y-1 px-4 py-3 sm:px-5">
      <div className="min-w-0 flex-1">
        <p className="flex items-center gap-2 font-medium">
          <span className="truncate">{passkey.name || "Passkey"}</span>
          {passkey.backed_up && <Badge hint="Synced to your other devices by its provider">synced</Badge>}
        </p>
        <p className="text-[0.88rem] text-ink-soft">
          Added <Time at={passkey.created_at} />, last used <Time at={passkey.last_used_at} />
        </p>
      </div>
      <Button size="small" onClick={onRemove}>
        Remove
      </Button>
    </li>
  );
}

/** Names a passkey, then lets the browser make it. */
function AddPasskeyDialog({
  open,
  onClose,
  onAdd,
}: {
  open: boolean;
  onClose: () => void;
  onAdd: (name: string) => Promise<void>;
}) {
  return (
    <Dialog open={open} onClose={onClose} title="Add a passkey" description="Your browser will ask where to keep it.">
      {open && <PasskeyForm onClose={onClose} onAdd={onAdd} />}
    </Dialog>
  );
}

function PasskeyForm({ onClose, onAdd }: { onClose: () => void; onAdd: (name: string) => Promise<void> }) {
  const [name, setName] = useState("");
  const { busy, error, run } = useAttempt();
  return (
    <DialogForm
      error={error}
      action="Continue"
      icon="passkey"
      busy={busy}
      onSubmit={() => void run(() => onAdd(name.trim()), onClose)}
      onCancel={onClose}
    >
      <Input
        label="Name"
        optional
        maxLength={200}
        placeholder="Laptop"
        help="Shown in this list."
        value={name}
        onChange={setName}
      />
    </DialogForm>
  );
}
