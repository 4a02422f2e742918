import { Link } from "@tanstack/react-router";
import type { Account } from "../../../../contract/accounts.ts";
import { MEMBER_PAGES } from "../../app/navigation.ts";
import { Card } from "../../kit/card.tsx";
import { Icon } from "../../kit/icon.tsx";

/** Links to the members' pages, for this account. */
export function MemberViews({ account }: { account: Account }) {
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
