import type { LinkProps } from "@tanstack/react-router";

/** A page of a section, by its address and, of the configuration, the kind of its elements. */
export interface SectionPage {
  readonly to: NonNullable<LinkProps["to"]>;
  readonly kind?: string;
  readonly label: string;
}

/** What belongs together: one line of the navigation, with its pages as tabs. */
export interface Section {
  readonly to: SectionPage["to"];
  readonly label: string;
  /** A name of kit/icon.tsx. */
  readonly icon: "accounts" | "users" | "models" | "vendors" | "limits" | "health" | "audit";
  readonly pages: readonly SectionPage[];
}

const CONFIGURATION = "/admin/configuration";

function alone(to: Section["to"], label: string, icon: Section["icon"]): Section {
  return { to, label, icon, pages: [{ to, label }] };
}

/** The lines of the administrators' navigation. */
export const ADMIN_SECTIONS: readonly Section[] = [
  alone("/admin/accounts", "Accounts", "accounts"),
  alone("/admin/users", "Users", "users"),
  {
    ...{ to: "/admin/prices", label: "Model setup", icon: "models" },
    pages: [
      { to: "/admin/prices", label: "Prices" },
      { to: "/admin/routes", label: "Routes" },
      { to: CONFIGURATION, kind: "model", label: "Models" },
      { to: CONFIGURATION, kind: "alias", label: "Aliases" },
      { to: "/admin/configuration/export", label: "camino.yaml" },
    ],
  },
  {
    ...{ to: "/admin/vendors", label: "Vendors", icon: "vendors" },
    pages: [
      { to: "/admin/vendors", label: "Vendors" },
      { to: CONFIGURATION, kind: "vendor", label: "Connections" },
    ],
  },
  {
    ...{ to: "/admin/limits", label: "Limits", icon: "limits" },
    pages: [
      { to: "/admin/limits", label: "Keys and accounts" },
      { to: CONFIGURATION, kind: "limits", label: "Defaults" },
    ],
  },
  {
    ...{ to: "/admin/health", label: "Health", icon: "health" },
    pages: [
      { to: "/admin/health", label: "Health" },
      { to: "/admin/alerts", label: "Alerts" },
    ],
  },
  alone("/admin/audit", "Audit log", "audit"),
];

/** The page of a section that an address belongs to: also that of one element, one vendor or one account. Null for the members' pages. */
export function sectionAt(path: string, kind: string | undefined): { section: Section; page: SectionPage } | null {
  const pages = ADMIN_SECTIONS.flatMap((section) => section.pages.map((page) => ({ section, page })));
  const element = /^\/admin\/configuration\/(model|vendor|alias|limits)\//.exec(path)?.[1];
  const is_list = path.replace(/\/$/, "") === CONFIGURATION;
  if (element !== undefined || is_list)
    return pages.find(({ page }) => page.kind === (element ?? kind ?? "model")) ?? null;
  return pages.find(({ page }) => page.kind === undefined && path.startsWith(page.to)) ?? null;
}
