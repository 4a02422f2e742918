import { Link, Outlet, useLocation, useNavigate } from "@tanstack/react-router";
import { Dialog } from "radix-ui";
import { Suspense, useEffect, useRef, useState } from "react";
import { useIsAdministrator, useUser } from "../api/session.ts";
import { useAllAccounts } from "../kit/all-accounts.ts";
import { Button, IconButton, LinkButton } from "../kit/button.tsx";
import { Card } from "../kit/card.tsx";
import { PageHeader } from "../kit/page-header.tsx";
import { useShortcutListener, useShortcuts } from "../kit/shortcuts.ts";
import { EmptyState, SkeletonRows } from "../kit/states.tsx";
import { useAccountRole, useMay } from "../kit/use-account.ts";
import { AccountPicker } from "./account-switcher.tsx";
import { ActingBanner } from "./acting-banner.tsx";
import { Brand } from "./brand.tsx";
import { CommandPalette } from "./command-palette.tsx";
import { ConnectionBanner } from "./connection-banner.tsx";
import { JoinPrompt } from "./join-prompt.tsx";
import { ADMIN_PAGES, type NavItem, openPages, pageAt, SETTINGS } from "./navigation.ts";
import { SectionTabs } from "./section-tabs.tsx";
import { SessionEnded } from "./session-ended.tsx";
import { SetUpCard } from "./set-up-card.tsx";
import { ShortcutHelp, showShortcutHelp } from "./shortcut-help.tsx";
import { Sidebar } from "./sidebar.tsx";

/** The frame of every page of a signed-in user: the navigation, the palette, shortcuts. */
export function Shell() {
  const [drawer, setDrawer] = useState(false);
  const [palette, setPalette] = useState(false);
  useShortcutListener();
  useShellShortcuts(() => setPalette(true));
  const main = useFocusOnNewPage();
  const search = () => {
    setDrawer(false);
    setPalette(true);
  };
  return (
    <div className="lg:grid lg:grid-cols-[15.5rem_1fr] print:block">
      <a
        href="#main"
        className="fixed top-2 left-2 z-70 -translate-y-20 rounded-lg bg-accent px-3 py-2 font-medium text-on-accent focus:translate-y-0"
      >
        Skip to the content
      </a>
      <aside className="sticky top-0 h-dvh border-r border-line max-lg:hidden print:hidden">
        <Sidebar onSearch={search} />
      </aside>
      <div className="min-w-0">
        <TopBar onMenu={() => setDrawer(true)} onSearch={search} />
        <ConnectionBanner />
        <ActingBanner />
        <main
          id="main"
          ref={main}
          tabIndex={-1}
          className="mx-auto max-w-[100rem] px-4 pt-5 pb-16 outline-none sm:px-6 lg:px-8 lg:pt-7"
        >
          <SetUpCard />
          <SectionTabs />
          <Suspense fallback={<SkeletonRows />}>
            <WithAccount />
          </Suspense>
        </main>
      </div>
      <Drawer open={drawer} onClose={() => setDrawer(false)} onSearch={search} />
      <CommandPalette open={palette} onClose={() => setPalette(false)} />
      <ShortcutHelp />
      <JoinPrompt />
      <SessionEnded />
    </div>
  );
}

/** The page; advice for a user who was removed from their last account, or whose role does not open the page. */
function WithAccount() {
  const user = useUser();
  const path = useLocation({ select: ({ pathname }) => pathname });
  const role = useAccountRole();
  const may = useMay();
  const shows_all = useAllAccounts();
  const needs_account = user.role !== "administrator" && user.accounts.length === 0;
  if (path.endsWith(SETTINGS.to)) return <Outlet />;
  const page = pageAt(path);
  if (shows_all && page !== undefined && (page.of_one || path === "/keys/new")) return <ChooseAccount page={page} />;
  if (!needs_account && page?.scope !== undefined && page.to !== "/" && !may(page.scope))
    return (
      <>
        <PageHeader title={page.label} />
        <Card flush>
          <EmptyState icon={page.icon} title="Your role does not include this page">
            Your role in this account is {role}. An owner of the account can change it.
          </EmptyState>
        </Card>
      </>
    );
  if (!needs_account) return <Outlet />;
  return (
    <EmptyState icon="accounts" title="You are not a member of any account">
      You were removed, or you left. Ask the owner of an account or an administrator for an invitation, and open its
      link here.
    </EmptyState>
  );
}

function TopBar({ onMenu, onSearch }: { onMenu: () => void; onSearch: () => void }) {
  return (
    <header className="sticky top-0 z-30 flex items-center gap-2 border-b border-line bg-canvas px-2 py-1.5 lg:hidden print:hidden">
      <IconButton icon="menu" label="Menu" onClick={onMenu} />
      <Link to="/" aria-label="Camino, overview" className="rounded-lg">
        <Brand />
      </Link>
      <IconButton icon="search" label="Go to" onClick={onSearch} className="ml-auto" />
    </header>
  );
}

function Drawer({ open, onClose, onSearch }: { open: boolean; onClose: () => void; onSearch: () => void }) {
  return (
    <Dialog.Root open={open} onOpenChange={(now) => !now && onClose()}>
      <Dialog.Portal>
        <div aria-hidden="true" className="fixed inset-0 z-40 bg-shade lg:hidden" />
        <Dialog.Content
          aria-describedby={undefined}
          className="slide fixed inset-y-0 left-0 z-50 w-72 max-w-[85vw] bg-canvas shadow-float lg:hidden"
        >
          <Dialog.Title className="sr-only">Menu</Dialog.Title>
          <Sidebar onSearch={onSearch} onGone={onClose} />
        </Dialog.Content>
      </Dialog.Portal>
    </Dialog.Root>
  );
}

function useShellShortcuts(openPalette: () => void): void {
  const navigate = useNavigate();
  const pages = [...openPages(useMay()), SETTINGS, ...(useIsAdministrator() ? ADMIN_PAGES : [])];
  useShortcuts([
    { keys: "mod+k", label: "Go to a page or a model", run: openPalette },
    {
      keys: "/",
      label: "Search on this page",
      run: () => document.querySelector<HTMLElement>("[data-search]")?.focus(),
    },
    { keys: "?", label: "Keyboard shortcuts", run: showShortcutHelp },
    ...pages.map(({ to, label, keys = "" }) => ({ keys, label, run: () => void navigate({ to }) })),
  ]);
}

/** Moves the focus to the beginning of a new page, for keyboards and screen readers. */
function useFocusOnNewPage() {
  const main = useRef<HTMLElement>(null);
  const path = useLocation({ select: ({ pathname }) => pathname });
  const known = useRef(path);
  useEffect(() => {
    if (known.current === path) return;
    known.current = path;
    main.current?.focus({ preventScroll: true });
  }, [path]);
  return main;
}

/** Stands in for a page of one account while an administrator looks at all of them. */
function ChooseAccount({ page: { label, icon } }: { page: NavItem }) {
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
