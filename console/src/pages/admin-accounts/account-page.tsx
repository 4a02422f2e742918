import { Link, useParams } from "@tanstack/react-router";
import { useState } from "react";
import type { Account } from "../../../../contract/accounts.ts";
import type { Overview } from "../../../../contract/overview.ts";
import { ApiError } from "../../api/api-error.ts";
import { useApi } from "../../api/use-api.ts";
import { useLive } from "../../api/use-live.ts";
import { MEMBER_PAGES } from "../../app/navigation.ts";
import { StatusBadge } from "../../kit/badge.tsx";
import { Button, IconButton, LinkButton } from "../../kit/button.tsx";
import { Card } from "../../kit/card.tsx";
import { Copyable } from "../../kit/copy-button.tsx";
import { Icon } from "../../kit/icon.tsx";
import { FittingName, LongName } from "../../kit/long-name.tsx";
import { Menu, MenuItem } from "../../kit/menu.tsx";
import { PageHeader } from "../../kit/page-header.tsx";
import { TextLink } from "../../kit/row-link.tsx";
import { EmptyState, ErrorState, Notice, SkeletonRows } from "../../kit/states.tsx";
import { Time } from "../../kit/values.tsx";
import { InviteDialog } from "../admin-users/invite-dialog.tsx";
import { CreditDialog, type Kind } from "../credits/credit-dialog.tsx";
import { AccountLimitsNote } from "../keys/account-limits-note.tsx";
import { TagLimitsNote } from "../keys/tag-limits.tsx";
import { RequestTable } from "../overview/latest-requests.tsx";
import { SpendChart } from "../overview/spend-chart.tsx";
import { WalletStats } from "../overview/wallet-stats.tsx";
import { Members } from "../team/members.tsx";
import { AccountEntries } from "./account-entries.tsx";
import { AccountKeys } from "./account-keys.tsx";
import { LimitsDialog } from "./limits-dialog.tsx";
import { RenameDialog } from "./rename-dialog.tsx";
import { StatusDialog } from "./status-dialog.tsx";

const ACCOUNTS = [{ label: "Accounts", to: "/admin/accounts" }] as const;

/** One account as administrators manage it: its money, its status, and links to its members' pages. */
export function AccountPage() {
  const { id } = useParams({ from: "/signed-in/admin/admin/accounts/$id" });
  const overview = useApi("GET /overview", { query: { account: id } });
  if (overview.data === undefined || overview.data.account.id !== id) {
    const missing = overview.error instanceof ApiError && overview.error.status === 404;
    return (
      <>
        <PageHeader title="Account" breadcrumb={ACCOUNTS} />
        {missing ? (
          <EmptyState icon="accounts" title="There is no such account" action={<ToAccounts />}>
            The address may be mistyped: {id}
          </EmptyState>
        ) : overview.error ? (
          <ErrorState error={overview.error} onRetry={() => overview.refetch()} />
        ) : (
          <SkeletonRows rows={8} />
        )}
      </>
    );
  }
  return <KnownAccount overview={overview.data} />;
}

function ToAccounts() {
  return <LinkButton to="/admin/accounts">All accounts</LinkButton>;
}

type Asking = Kind | "rename" | "limits" | "status" | null;

function KnownAccount({ overview }: { overview: Overview }) {
  const { account } = overview;
  const [asking, setAsking] = useState<Asking>(null);
  const { data } = useLive(account.id, ["GET /overview", "GET /accounts/{account}/credits"]);
  const live = data?.account === account.id ? data : undefined;
  const close = () => setAsking(null);
  return (
    <>
      <PageHeader
        title={account.name || account.email}
        shown_title={
          <>
            <span className="min-w-0 break-words">
              <LongName>{account.name || account.email}</LongName>
            </span>
            <StatusBadge status={account.status} />
          </>
        }
        breadcrumb={ACCOUNTS}
        actions={<Actions account={account} onAsk={setAsking} />}
      />
      <p className="-mt-2 mb-5 flex flex-wrap items-center gap-x-4 gap-y-1 text-ink-soft">
        {account.name && <FittingName>{account.email}</FittingName>}
        <Copyable value={account.id} />
        <span>
          created <Time at={account.created_at} />
        </span>
      </p>
      <div className="space-y-5">
        {account.status === "disabled" && (
          <Notice
            tone="warn"
            action={
              <Button size="small" onClick={() => setAsking("status")}>
                Enable account
              </Button>
            }
          >
            This account is disabled: every request with its keys is refused. Its data is kept.
          </Notice>
        )}
        <WalletStats overview={overview} live={live} />
        <AccountLimitsNote account={account.id} />
        <TagLimitsNote account={account.id} />
        <MemberViews account={account} />
        {overview.latest.length > 0 && <SpendChart usage={overview.usage} />}
        <div className="grid items-start gap-5 xl:grid-cols-2">
          <AccountKeys account={account.id} />
          <AccountUsers account={account} />
        </div>
        <AccountRequests overview={overview} />
        <AccountEntries account={account} />
      </div>
      <CreditDialog
        account={{ ...account, balance_micro: live?.balance_micro ?? account.balance_micro }}
        kind={asking === "credit" || asking === "correction" ? asking : null}
        onClose={close}
      />
      <RenameDialog account={account} open={asking === "rename"} onClose={close} />
      <LimitsDialog account={account} open={asking === "limits"} onClose={close} />
      <StatusDialog account={account} open={asking === "status"} onClose={close} />
    </>
  );
}

function Actions({ account, onAsk }: { account: Account; onAsk: (asking: Asking) => void }) {
  const disabled = account.status === "disabled";
  return (
    <>
      <Button kind="primary" icon="credits" onClick={() => onAsk("credit")}>
        Add credit
      </Button>
      <Menu
        label="More actions"
        trigger={<IconButton icon="more" label="More actions" className="border border-line bg-surface shadow-lift" />}
      >
        <MenuItem icon="edit" onSelect={() => onAsk("correction")}>
          Correct the balance
        </MenuItem>
        <MenuItem icon="edit" onSelect={() => onAsk("rename")}>
          Rename account
        </MenuItem>
        <MenuItem icon="limits" onSelect={() => onAsk("limits")}>
          Set limits
        </MenuItem>
        <MenuItem icon={disabled ? "play" : "pause"} danger={!disabled} onSelect={() => onAsk("status")}>
          {disabled ? "Enable account" : "Disable account"}
        </MenuItem>
      </Menu>
    </>
  );
}

/** The users who may sign in and see the account. */
function AccountUsers({ account }: { account: Account }) {
  const [inviting, setInviting] = useState(false);
  return (
    <Card
      title="Members"
      actions={
        <Button size="small" icon="plus" onClick={() => setInviting(true)}>
          Invite
        </Button>
      }
      flush
    >
      <Members account={account.id} />
      <InviteDialog open={inviting} onClose={() => setInviting(false)} account={account} />
    </Card>
  );
}

function MemberViews({ account }: { account: Account }) {
  const pages = [...MEMBER_PAGES, { to: "/admin/audit", label: "Changes", icon: "audit" } as const];
  return (
    <Card title="See as this account" description="The pages that its members see, and the changes to the account.">
      <ul className="flex flex-wrap gap-2">
        {pages.map(({ to, label, icon }) => (
          <li key={to}>
            <Link
              to={to}
              search={to === "/admin/audit" ? { of: account.id } : { account: account.id }}
              className="inline-flex min-h-9 items-center gap-2 rounded-lg border border-line px-3 font-medium hover:border-line-strong"
            >
              <Icon name={icon} className="size-4.5 text-ink-soft" />
              {label}
            </Link>
          </li>
        ))}
      </ul>
    </Card>
  );
}

/** The account's newest requests; running ones are updated live. */
function AccountRequests({ overview }: { overview: Overview }) {
  const { latest, account } = overview;
  return (
    <Card
      title="Latest requests"
      actions={
        <TextLink to="/requests" search={{ account: account.id }}>
          All requests
        </TextLink>
      }
      flush
    >
      {latest.length === 0 ? (
        <EmptyState icon="requests" title="No requests yet">
          They appear here as its keys are used.
        </EmptyState>
      ) : (
        <RequestTable requests={latest} />
      )}
    </Card>
  );
}
