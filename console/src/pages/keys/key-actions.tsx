import { useRef, useState } from "react";
import type { Key } from "../../../../contract/keys.ts";
import { useIsAdministrator } from "../../api/session.ts";
import { useChange } from "../../api/use-api.ts";
import { IconButton } from "../../kit/button.tsx";
import { ConfirmDialog } from "../../kit/dialog.tsx";
import { Menu, MenuItem, MenuSeparator } from "../../kit/menu.tsx";
import { toast, toastError } from "../../kit/toast.tsx";
import { useMay } from "../../kit/use-account.ts";
import { KEY_READS } from "./key-reads.ts";
import { keyName } from "./key-state.ts";
import { MoveDialog } from "./move-dialog.tsx";
import { RenameDialog } from "./rename-dialog.tsx";
import { RollDialog } from "./roll-dialog.tsx";
import { TagsDialog } from "./tags-dialog.tsx";

type KeyAction = "rename" | "tags" | "move" | "roll" | "disable" | "revoke" | "delete" | null;

/** The menu of a key's actions, with their dialogs. */
export function KeyActions({ for_key, onDeleted }: { for_key: Key; onDeleted?: () => void }) {
  const [asked, setAsked] = useState<KeyAction>(null);
  const trigger = useRef<HTMLButtonElement>(null);
  // The dialog cannot give the focus back to the menu's item, which is gone by then.
  const close = () => {
    setAsked(null);
    setTimeout(() => trigger.current?.focus());
  };
  const path = { key: for_key.id };
  const name = keyName(for_key);
  const is_administrator = useIsAdministrator();
  const may = useMay();
  const enable = useChange("POST /keys/{key}/enable", KEY_READS);
  if (!may("keys:write")) return null;
  return (
    <>
      <Menu
        label={`Actions for ${name}`}
        trigger={<IconButton ref={trigger} icon="more" label={`Actions for ${name}`} className="relative" />}
      >
        <MenuItem icon="edit" onSelect={() => setAsked("rename")}>
          Rename
        </MenuItem>
        <MenuItem icon="prices" onSelect={() => setAsked("tags")}>
          Edit tags
        </MenuItem>
        {may("projects:write") && (
          <MenuItem icon="arrow-right" onSelect={() => setAsked("move")}>
            Move to a project
          </MenuItem>
        )}
        {for_key.status !== "revoked" && !for_key.playground && (
          <MenuItem icon="refresh" onSelect={() => setAsked("roll")}>
            Roll the secret
          </MenuItem>
        )}
        {for_key.status === "active" && (
          <MenuItem icon="pause" onSelect={() => setAsked("disable")}>
            Disable
          </MenuItem>
        )}
        {for_key.status === "disabled" && (!for_key.barred || is_administrator) && (
          <MenuItem
            icon="play"
            onSelect={() =>
              enable.mutate({ path }, { onSuccess: () => toast(`${name} is enabled`), onError: toastError })
            }
          >
            Enable
          </MenuItem>
        )}
        <MenuSeparator />
        {for_key.status !== "revoked" && (
          <MenuItem icon="close" danger onSelect={() => setAsked("revoke")}>
            Revoke for good
          </MenuItem>
        )}
        <MenuItem icon="trash" danger onSelect={() => setAsked("delete")}>
          Delete
        </MenuItem>
      </Menu>
      <RenameDialog for_key={for_key} open={asked === "rename"} onClose={close} />
      <TagsDialog for_key={for_key} open={asked === "tags"} onClose={close} />
      <MoveDialog for_key={for_key} open={asked === "move"} onClose={close} />
      <RollDialog for_key={for_key} open={asked === "roll"} onClose={close} />
      <DisableDialog for_key={for_key} open={asked === "disable"} onClose={close} />
      <EndDialogs for_key={for_key} asked={asked} onClose={close} onDeleted={onDeleted} />
    </>
  );
}

/** Asks for confirmation, then disables the key: running requests end normally, new ones are refused. */
export function DisableDialog({ for_key, open, onClose }: { for_key: Key; open: boolean; onClose: () => void }) {
  const disable = useChange("POST /keys/{key}/disable", KEY_READS);
  const name = keyName(for_key);
  return (
    <ConfirmDialog
      open={open}
      onClose={onClose}
      title={`Disable the key ${name}?`}
      action="Disable key"
      done={`${name} is disabled`}
      onConfirm={() => disable.mutateAsync({ path: { key: for_key.id } })}
    >
      Programs that use it get 401 from now on. Running requests finish. You can enable it again at any time.
    </ConfirmDialog>
  );
}

function EndDialogs({
  for_key,
  asked,
  onClose,
  onDeleted,
}: {
  for_key: Key;
  asked: KeyAction;
  onClose: () => void;
  onDeleted: (() => void) | undefined;
}) {
  const revoke = useChange("POST /keys/{key}/revoke", KEY_READS);
  const remove = useChange("DELETE /keys/{key}", ["GET /keys", "GET /budgets"]);
  const path = { key: for_key.id };
  const name = keyName(for_key);
  return (
    <>
      <ConfirmDialog
        open={asked === "revoke"}
        onClose={onClose}
        title={`Revoke the key ${name}?`}
        action="Revoke key"
        danger
        type_to_confirm={name}
        done={`${name} is revoked`}
        onConfirm={() => revoke.mutateAsync({ path })}
      >
        The key stops working at once. This cannot be undone. It stays in this list, with its requests.
      </ConfirmDialog>
      <ConfirmDialog
        open={asked === "delete"}
        onClose={onClose}
        title={`Delete the key ${name}?`}
        action="Delete key"
        danger
        type_to_confirm={name}
        onConfirm={async () => {
          await remove.mutateAsync({ path });
          toast(`${name} is deleted`);
          onDeleted?.();
        }}
      >
        The key never works again, and leaves this list with its aliases and limits. Its requests and what they cost
        stay.
      </ConfirmDialog>
    </>
  );
}
