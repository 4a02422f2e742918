import { useState } from "react";
import type { CacheState } from "../../../../contract/cache.ts";
import { useApi, useChange } from "../../api/use-api.ts";
import { Button } from "../../kit/button.tsx";
import { Card } from "../../kit/card.tsx";
import { ConfirmDialog } from "../../kit/dialog.tsx";
import { formatCount } from "../../kit/format.ts";
import { toast } from "../../kit/toast.tsx";
import { useMay } from "../../kit/use-account.ts";
import { formatBytes } from "../admin-parts/format-bytes.ts";

/** How much room an account's stored answers take, or those of all accounts, with a way to remove them; nothing where none is stored. */
export function StoredAnswers({ account }: { account: string | undefined }) {
  const state = useApi("GET /cache", { query: account === undefined ? {} : { account } }).data;
  const may = useMay();
  const [asks, setAsks] = useState(false);
  if (state === undefined || state.bytes === 0) return null;
  return (
    <Card
      className="mt-5"
      title="Stored answers"
      actions={
        may("content:write") && (
          <Button kind="secondary" onClick={() => setAsks(true)}>
            Remove them
          </Button>
        )
      }
    >
      <p className="text-[0.92rem] text-ink-soft">{wordsOf(state)}</p>
      <EmptyDialog account={account} open={asks} onClose={() => setAsks(false)} />
    </Card>
  );
}

/** Asks before stored answers are removed. */
function EmptyDialog({ account, open, onClose }: { account: string | undefined; open: boolean; onClose: () => void }) {
  const empty = useChange("POST /cache/empty", ["GET /cache", "GET /audit-log"]);
  return (
    <ConfirmDialog
      open={open}
      onClose={onClose}
      title={
        account === undefined ? "Remove the stored answers of all accounts?" : "Remove this account's stored answers?"
      }
      action="Remove stored answers"
      danger
      onConfirm={async () => {
        const { removed } = await empty.mutateAsync({ body: account === undefined ? { all: true } : { account } });
        toast(removed === 1 ? "1 stored answer removed" : `${formatCount(removed)} stored answers removed`);
      }}
    >
      Requests that ask for a stored answer go to a vendor again, and are charged in full, until their new answers are
      stored. Receipts and usage stay as they are.
    </ConfirmDialog>
  );
}

function wordsOf({ account, bytes, most_bytes, charge_percent }: CacheState): string {
  const room = `${formatBytes(bytes)}, encrypted; all accounts together may have ${formatBytes(most_bytes)}.`;
  const price = charge_percent === 0 ? "free of charge" : `for ${charge_percent}% of its first charge`;
  return `${account === null ? "All accounts: " : ""}${room} One is given again ${price}.`;
}
