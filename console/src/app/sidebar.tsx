import { Link } from "@tanstack/react-router";
import { useIsAdministrator } from "../api/session.ts";
import { Icon } from "../kit/icon.tsx";
import { useMay } from "../kit/use-account.ts";
import { AccountSwitcher } from "./account-switcher.tsx";
import { Brand } from "./brand.tsx";
import { type NavItem, openPages } from "./navigation.ts";
import { useSection } from "./section-tabs.tsx";
import { ADMIN_SECTIONS } from "./sections.ts";
import { UserMenu } from "./user-menu.tsx";

/** The navigation: at the side of a wide window, in a drawer on a phone. */
export function Sidebar({ onSearch, onGone }: { onSearch: () => void; onGone?: () => void }) {
  const administrator = useIsAdministrator();
  const may = useMay();
  return (
    <div className="flex h-full flex-col gap-3 p-3">
      <Link
        to="/"
        onClick={onGone}
        aria-label="Camino, overview"
        className="rounded-lg px-2 pt-1.5 max-lg:hidden [@media(max-height:800px)]:hidden"
      >
        <Brand />
      </Link>
      <AccountSwitcher />
      <button
        type="button"
        onClick={onSearch}
        className="flex min-h-9 items-center gap-2 rounded-lg border border-line bg-surface px-2.5 text-[0.9rem] text-ink-soft hover:border-line-strong hover:text-ink"
      >
        <Icon name="search" />
        Go to
        <kbd className="ml-auto font-mono text-[0.75rem]">{modifier}K</kbd>
      </button>
      <nav aria-label="Main" className="-mx-1 min-h-0 flex-1 overflow-y-auto px-1">
        <Items items={openPages(may)} onGone={onGone} />
        {administrator && (
          <>
            <h2 className="mt-4 mb-1 px-2.5 text-[0.8rem] font-medium text-ink-soft [@media(max-height:800px)]:mt-1.5">
              Gateway
            </h2>
            <Items items={ADMIN_SECTIONS} onGone={onGone} />
          </>
        )}
      </nav>
      <UserMenu onGone={onGone} />
    </div>
  );
}

const modifier = /Mac|iPhone|iPad/.test(navigator.userAgent) ? "⌘" : "Ctrl ";

const SHOWN = "bg-accent-soft text-accent-ink";
const OTHER = "text-ink-soft hover:bg-sunken hover:text-ink";

function Items({
  items,
  onGone,
}: {
  items: readonly Pick<NavItem, "to" | "label" | "icon">[];
  onGone: (() => void) | undefined;
}) {
  const section = useSection()?.section;
  return (
    <ul className="space-y-px">
      {items.map((item) => (
        <li key={item.to}>
          <Link
            to={item.to}
            onClick={onGone}
            activeOptions={{ exact: item.to === "/", includeSearch: false }}
            activeProps={{ className: SHOWN }}
            inactiveProps={{ className: item === section ? SHOWN : OTHER }}
            className="flex min-h-8.5 items-center gap-2.5 rounded-lg px-2.5 font-medium -outline-offset-2 [@media(max-height:800px)]:min-h-6"
          >
            <Icon name={item.icon} className="size-4.5" />
            {item.label}
          </Link>
        </li>
      ))}
    </ul>
  );
}
