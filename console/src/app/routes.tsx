import {
  createRootRoute,
  createRoute,
  lazyRouteComponent,
  redirect,
  type SearchMiddleware,
} from "@tanstack/react-router";
import { queryClient } from "../api/query-client.ts";
import { sessionQuery } from "../api/session.ts";
import type { Search } from "../kit/url-state.ts";
import { Failure } from "./failure.tsx";
import { loadPage } from "./load-page.ts";
import { NotFound } from "./not-found.tsx";
import { Shell } from "./shell.tsx";

const keepAccount: SearchMiddleware<Search> = ({ search, next }) => {
  const wanted = next(search);
  return "account" in wanted ? wanted : { ...wanted, account: search.account };
};

const root = createRootRoute({
  validateSearch: (search): Search => search as Search,
  // Every link keeps the account that an administrator looks at.
  search: { middlewares: [keepAccount] },
  notFoundComponent: NotFound,
  errorComponent: Failure,
});

const signIn = createRoute({
  getParentRoute: () => root,
  path: "sign-in",
  component: lazy(() => import("../pages/sign-in/sign-in-page.tsx"), "SignInPage"),
});

const hasSignedIn = createRoute({
  getParentRoute: () => root,
  path: "sign-in-done",
  component: lazy(() => import("../pages/sign-in/signed-in-page.tsx"), "SignedInPage"),
});

/** The pages that need a session: a visitor without one goes to the sign-in page first, and then comes back. */
const signedIn = createRoute({
  getParentRoute: () => root,
  id: "signed-in",
  component: Shell,
  notFoundComponent: NotFound,
  beforeLoad: async ({ location }) => {
    const session = await queryClient.ensureQueryData(sessionQuery);
    if (session !== null) return;
    const from = `${location.pathname}${location.searchStr}`;
    throw redirect({ to: "/sign-in", search: from === "/" ? {} : { return: from }, replace: true });
  },
});

/** The pages of administrators; for members, no such page exists. */
const admin = createRoute({
  getParentRoute: () => signedIn,
  id: "admin",
  component: lazy(() => import("./admin-only.tsx"), "AdminOnly"),
});

type Load = Parameters<typeof lazyRouteComponent>[0];

function lazy(load: Load, name: string) {
  return lazyRouteComponent(() => loadPage(load), name);
}

function page<Path extends string>(path: Path, load: Load, name: string) {
  return createRoute({ getParentRoute: () => signedIn, path, component: lazy(load, name) });
}

function adminPage<Path extends string>(path: Path, load: Load, name: string) {
  return createRoute({ getParentRoute: () => admin, path, component: lazy(load, name) });
}

const pages = [
  page("/", () => import("../pages/overview/overview-page.tsx"), "OverviewPage"),
  page("/keys", () => import("../pages/keys/keys-page.tsx"), "KeysPage"),
  page("/keys/new", () => import("../pages/keys/new-key-page.tsx"), "NewKeyPage"),
  page("/keys/$id", () => import("../pages/keys/key-page.tsx"), "KeyPage"),
  page("/aliases", () => import("../pages/aliases/aliases-page.tsx"), "AliasesPage"),
  page("/usage", () => import("../pages/usage/usage-page.tsx"), "UsagePage"),
  page("/requests", () => import("../pages/requests/requests-page.tsx"), "RequestsPage"),
  page("/requests/said", () => import("../pages/requests/contents-page.tsx"), "ContentsPage"),
  page("/requests/$id", () => import("../pages/requests/request-page.tsx"), "RequestPage"),
  page("/credits", () => import("../pages/credits/credits-page.tsx"), "CreditsPage"),
  page("/alerts", () => import("../pages/alerts/alerts-page.tsx"), "AlertsPage"),
  page("/team", () => import("../pages/team/team-page.tsx"), "TeamPage"),
  page("/models", () => import("../pages/models/models-page.tsx"), "ModelsPage"),
  page("/models/$vendor/$name", () => import("../pages/models/model-page.tsx"), "ModelPage"),
  page("/playground", () => import("../pages/playground/playground-page.tsx"), "PlaygroundPage"),
  page("/tags/$tag", () => import("../pages/tags/tag-page.tsx"), "TagPage"),
  page("/settings", () => import("../pages/settings/settings-page.tsx"), "SettingsPage"),
] as const;

/** Any other address: the page that says so, within the navigation. */
const nowhere = createRoute({ getParentRoute: () => signedIn, path: "$", component: NotFound });

const adminPages = [
  adminPage("/admin/accounts", () => import("../pages/admin-accounts/accounts-page.tsx"), "AccountsPage"),
  adminPage("/admin/accounts/$id", () => import("../pages/admin-accounts/account-page.tsx"), "AccountPage"),
  adminPage("/admin/users", () => import("../pages/admin-users/users-page.tsx"), "UsersPage"),
  adminPage("/admin/configuration", () => import("../pages/admin-configuration/elements-page.tsx"), "ElementsPage"),
  adminPage("/admin/configuration/export", () => import("../pages/admin-configuration/export-page.tsx"), "ExportPage"),
  adminPage(
    "/admin/configuration/$kind/new",
    () => import("../pages/admin-configuration/new-element-page.tsx"),
    "NewElementPage",
  ),
  adminPage(
    "/admin/configuration/$kind/$id",
    () => import("../pages/admin-configuration/element-page.tsx"),
    "ElementPage",
  ),
  adminPage("/admin/vendors", () => import("../pages/admin-vendors/vendors-page.tsx"), "VendorsPage"),
  adminPage("/admin/vendors/new", () => import("../pages/admin-vendors/new-vendor-page.tsx"), "NewVendorPage"),
  adminPage("/admin/vendors/$id", () => import("../pages/admin-vendors/vendor-page.tsx"), "VendorPage"),
  adminPage("/admin/prices", () => import("../pages/admin-prices/prices-page.tsx"), "PricesPage"),
  adminPage("/admin/routes", () => import("../pages/admin-routes/routes-page.tsx"), "RoutesPage"),
  adminPage("/admin/limits", () => import("../pages/admin-limits/limits-page.tsx"), "LimitsPage"),
  adminPage("/admin/health", () => import("../pages/admin-health/health-page.tsx"), "HealthPage"),
  adminPage("/admin/alerts", () => import("../pages/alerts/alerts-page.tsx"), "GatewayAlertsPage"),
  adminPage("/admin/audit", () => import("../pages/admin-audit/audit-page.tsx"), "AuditPage"),
] as const;

export const routeTree = root.addChildren([
  signIn,
  hasSignedIn,
  signedIn.addChildren([...pages, admin.addChildren([...adminPages]), nowhere]),
]);
