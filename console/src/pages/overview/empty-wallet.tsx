import type { Overview } from "../../../../contract/overview.ts";
import { useIsAdministrator } from "../../api/session.ts";
import { useApi } from "../../api/use-api.ts";
import { LinkButton } from "../../kit/button.tsx";
import { Card } from "../../kit/card.tsx";
import { Contact, useContact } from "../../kit/contact.tsx";
import { Copyable } from "../../kit/copy-button.tsx";
import { useAccountRole, useMay, useOwnProject } from "../../kit/use-account.ts";

/** Explains a wallet without credit: which calls fail, which work, and whom to ask with which words. */
export function EmptyWallet({ account }: { account: Overview["account"] }) {
  const administrator = useIsAdministrator();
  const project = useOwnProject();
  return (
    <Card title="The wallet is empty">
      <div className="space-y-3">
        <p className="max-w-3xl text-ink-soft">
          Your balance is 0. Add credit to make requests; until then they return 402. Free models work without it.
          {project !== null && ` Your default project is ${project.name}.`}
        </p>
        {administrator ? (
          <LinkButton to="/credits" kind="primary" icon="plus">
            Add credit
          </LinkButton>
        ) : (
          <WhomToAsk account={account} />
        )}
      </div>
    </Card>
  );
}

/** The people whom a member asks: the account's owners, where the member is none of them, and the gateway's administrator. */
function WhomToAsk({ account }: { account: Overview["account"] }) {
  const contact = useContact();
  const is_owner = useAccountRole() === "owner";
  const may = useMay();
  const asks_owners = !is_owner && may("members:read");
  const members = useApi(
    "GET /accounts/{account}/members",
    { path: { account: account.id }, query: { role: "owner", status: "active", limit: "3" } },
    { enabled: asks_owners },
  );
  const owners = asks_owners ? (members.data?.data ?? []) : [];
  return (
    <div className="space-y-2">
      <p>
        To have credit added, ask{" "}
        {owners.length > 0 && (
          <>
            {owners.length === 1 ? "the owner" : "an owner"} of this account (
            {owners.map(({ email }, index) => (
              <span key={email}>
                {index > 0 && ", "}
                <Contact words={email} />
              </span>
            ))}
            ), or{" "}
          </>
        )}
        {contact === null ? (
          "the person who invited you, or an administrator of this gateway"
        ) : (
          <Contact words={contact} />
        )}
        . Name this account and an amount; it is available at once.
      </p>
      <Copyable value={account.id} />
    </div>
  );
}
