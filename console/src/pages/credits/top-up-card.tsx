import type { Account } from "../../../../contract/accounts.ts";
import { useIsAdministrator } from "../../api/session.ts";
import { Button } from "../../kit/button.tsx";
import { Card } from "../../kit/card.tsx";
import { Contact, useContact } from "../../kit/contact.tsx";
import { Copyable } from "../../kit/copy-button.tsx";

/** How an account gets credit: administrators book it; members see whom to ask, and what to say. */
export function TopUpCard({ account, onAdd }: { account: Account; onAdd: () => void }) {
  const administrator = useIsAdministrator();
  const contact = useContact();
  return (
    <Card title="Top up">
      {administrator ? (
        <div className="space-y-3">
          <p className="text-ink-soft">
            Book a credit for <span className="break-words text-ink">{account.name || account.email}</span>. It is
            available at once, and the ledger keeps your note.
          </p>
          <Button icon="plus" onClick={onAdd}>
            Add credit or correct
          </Button>
        </div>
      ) : (
        <div className="space-y-3">
          <p className="text-ink-soft">
            {contact === null ? (
              "An administrator of this gateway adds credit. Tell them"
            ) : (
              <>
                For credit, ask <Contact words={contact} />. Tell them
              </>
            )}{" "}
            the amount and this account; it is available at once.
          </p>
          <Copyable value={account.id} />
        </div>
      )}
    </Card>
  );
}
