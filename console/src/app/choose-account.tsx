import { useState } from "react";
import { Button, LinkButton } from "../kit/button.tsx";
import { Card } from "../kit/card.tsx";
import { PageHeader } from "../kit/page-header.tsx";
import { EmptyState } from "../kit/states.tsx";
import { AccountPicker } from "./account-switcher.tsx";
import type { NavItem } from "./navigation.ts";

/** Stands in for a page of one account while an administrator looks at all of them. */
export function ChooseAccount({ page: { label, icon } }: { page: NavItem }) {
  const [open, setOpen] = useState(false);
  return (
    <>
      <PageHeader title={label} />
      <Card flush>
        <EmptyState
          icon={icon}
          title="Choose an account"
          action={
            <>
              <Button kind="primary" icon="accounts" onClick={() => setOpen(true)}>
                Choose an account
              </Button>
              <LinkButton to="/admin/accounts">All accounts and balances</LinkButton>
            </>
          }
        >
          This page shows one account at a time.
        </EmptyState>
      </Card>
      <AccountPicker open={open} onOpen={setOpen} />
    </>
  );
}
