import { useState } from "react";
import type { ContentEntry } from "../../../../contract/contents.ts";
import { messageOf } from "../../api/api-error.ts";
import { useApi, useChange } from "../../api/use-api.ts";
import { Button, LinkButton } from "../../kit/button.tsx";
import { Dialog, DialogActions } from "../../kit/dialog.tsx";
import { Loaded, Notice } from "../../kit/states.tsx";
import { toastAnd } from "../../kit/toast.tsx";
import { ContentSides } from "./content-sides.tsx";

interface Props {
  /** Null: nothing is open. */
  readonly of: ContentEntry | null;
  readonly may_delete: boolean;
  readonly onClose: () => void;
}

/** What one request and its answer said. */
export function ContentDialog({ of: entry, ...props }: Props) {
  return (
    <Dialog wide open={entry !== null} onClose={props.onClose} title={entry === null ? "" : `Said to ${entry.model}`}>
      {entry !== null && <Shown of={entry} {...props} />}
    </Dialog>
  );
}

function Shown({ of: { account, request_id }, may_delete, onClose }: Props & { readonly of: ContentEntry }) {
  const content = useApi("GET /contents/{request}", { path: { request: request_id }, query: { account } });
  const remove = useChange("DELETE /contents/{request}", ["GET /contents"]);
  const [is_sure, setSure] = useState(false);
  const onSuccess = toastAnd(onClose, "Deleted what was said");
  return (
    <div className="space-y-4">
      <Loaded query={content}>{(found) => <ContentSides of={found} />}</Loaded>
      {remove.error && <Notice tone="danger">{messageOf(remove.error)}</Notice>}
      <DialogActions>
        {may_delete && (
          <Button
            kind="danger"
            busy={remove.isPending}
            onClick={() =>
              is_sure
                ? remove.mutate({ path: { request: request_id }, query: { account } }, { onSuccess })
                : setSure(true)
            }
          >
            {is_sure ? "Delete it for good" : "Delete it"}
          </Button>
        )}
        <LinkButton to="/requests/$id" params={{ id: request_id }}>
          Receipt
        </LinkButton>
        <Button onClick={onClose}>Close</Button>
      </DialogActions>
    </div>
  );
}
