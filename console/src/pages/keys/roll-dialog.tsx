import { useState } from "react";
import type { CreatedKey, Key } from "../../../../contract/keys.ts";
import { useChange } from "../../api/use-api.ts";
import { Dialog } from "../../kit/dialog.tsx";
import { DialogForm } from "../../kit/form.tsx";
import { Select } from "../../kit/input.tsx";
import { CreatedKeyDialog } from "./created-key-dialog.tsx";
import { KEY_READS } from "./key-reads.ts";
import { keyName } from "./key-state.ts";

const HOUR_S = 3600;
const OVERLAPS = [
  { value: "0", label: "Not at all: it is refused at once" },
  { value: String(HOUR_S), label: "One hour" },
  { value: String(24 * HOUR_S), label: "One day" },
  { value: String(7 * 24 * HOUR_S), label: "Seven days" },
];

/** Gives a key a new secret, and shows it once. */
export function RollDialog({ for_key, open, onClose }: { for_key: Key; open: boolean; onClose: () => void }) {
  const [rolled, setRolled] = useState<CreatedKey | null>(null);
  const close = () => {
    setRolled(null);
    onClose();
  };
  return (
    <>
      <Dialog open={open && rolled === null} onClose={close} title={`Roll the key ${keyName(for_key)}?`}>
        {open && rolled === null && <RollForm for_key={for_key} onClose={close} onRolled={setRolled} />}
      </Dialog>
      <CreatedKeyDialog created={rolled} title="The new secret" onClose={close} />
    </>
  );
}

function RollForm({
  for_key,
  onClose,
  onRolled,
}: {
  for_key: Key;
  onClose: () => void;
  onRolled: (rolled: CreatedKey) => void;
}) {
  const [overlap, setOverlap] = useState(String(24 * HOUR_S));
  const roll = useChange("POST /keys/{key}/roll", KEY_READS);
  return (
    <DialogForm
      error={roll.error}
      action="Create new secret"
      busy={roll.isPending}
      onCancel={onClose}
      onSubmit={() =>
        roll.mutate({ path: { key: for_key.id }, body: { overlap_s: Number(overlap) } }, { onSuccess: onRolled })
      }
    >
      <p className="text-ink-soft">
        The key gets a new secret, which is shown once. Its name, aliases, limits and requests stay. A secret that was
        replaced earlier stops working now.
      </p>
      <Select
        label="How long is the old secret still valid?"
        options={OVERLAPS}
        value={overlap}
        onChange={setOverlap}
        help="Time to give programs the new one. Does someone else know the old one? Then choose “Not at all”."
      />
    </DialogForm>
  );
}
