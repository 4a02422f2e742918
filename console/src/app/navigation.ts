import type { LinkProps } from "@tanstack/react-router";
import type { Scope } from "../../../contract/permissions.ts";
import type { IconName } from "../kit/icon.tsx";

export interface NavItem {
  readonly to: NonNullable<LinkProps["to"]>;
  readonly label: string;
  readonly icon: IconName;
  /** The shortcut that opens the page. */
  readonly keys?: string;
  /** The scope that the user needs in the account that is shown. */
  readonly scope?: Scope;
  /** Whether the page can only show one account: the others can show all. */
  readonly of_one?: true;
}

/** The pages on which every user sees their account. */
export const MEMBER_PAGES: readonly NavItem[] = [
  { to: "/", label: "Overview", icon: "overview", keys: "g o", scope: "usage:read" },
  { to: "/keys", label: "Keys", icon: "key", keys: "g k", scope: "keys:read" },
  { to: "/aliases", label: "Aliases", icon: "alias", keys: "g a", scope: "keys:read", of_one: true },
  { to: "/usage", label: "Usage", icon: "usage", keys: "g u", scope: "usage:read" },
  { to: "/requests", label: "Requests", icon: "requests", keys: "g r", scope: "requests:read" },
  { to: "/credits", label: "Credits", icon: "credits", keys: "g c", scope: "credits:read", of_one: true },
  { to: "/alerts", label: "Alerts", icon: "bell", keys: "g e", scope: "alerts:read", of_one: true },
  { to: "/team", label: "Team", icon: "users", keys: "g t", scope: "members:read", of_one: true },
  { to: "/models", label: "Models", icon: "models", keys: "g m", scope: "models:read" },
  { to: "/playground", label: "Playground", icon: "playground", keys: "g p", scope: "playground:use", of_one: true },
];

/** The page of the navigation that an address belongs to; undefined for pages of the gateway and the user's settings. */
export function pageAt(path: string): NavItem | undefined {
  return MEMBER_PAGES.find(({ to }) => (to === "/" ? path === "/" : path.startsWith(to)));
}

/** The pages that the user's role in the account opens. */
export function openPages(may: (scope: Scope) => boolean): readonly NavItem[] {
  return MEMBER_PAGES.filter(({ scope }) => scope === undefined || may(scope));
}

/** The pages on which administrators see the gateway, as the palette finds them. */
export const ADMIN_PAGES: readonly NavItem[] = [
  { to: "/admin/accounts", label: "Accounts", icon: "accounts", keys: "a a" },
  { to: "/admin/users", label: "Users", icon: "users", keys: "a u" },
  { to: "/admin/prices", label: "Prices", icon: "prices", keys: "a p" },
  { to: "/admin/routes", label: "Routes", icon: "routes", keys: "a r" },
  { to: "/admin/configuration", label: "Configuration", icon: "edit", keys: "a c" },
  { to: "/admin/vendors", label: "Vendors", icon: "vendors", keys: "a v" },
  { to: "/admin/limits", label: "Limits", icon: "limits", keys: "a l" },
  { to: "/admin/health", label: "Health", icon: "health", keys: "a h" },
  { to: "/admin/alerts", label: "Alerts of the gateway", icon: "bell", keys: "a e" },
  { to: "/admin/audit", label: "Audit log", icon: "audit", keys: "a g" },
];

export const SETTINGS: NavItem = { to: "/settings", label: "Settings", icon: "settings", keys: "g s" };
