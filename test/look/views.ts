import { LONG_MODEL, type LargeShowcase } from "../support/large-showcase.ts";

/** A page of the console, or a dialog on it. */
export interface View {
  readonly name: string;
  readonly path: (showcase: LargeShowcase) => string;
  /** What opens the dialog: names of buttons and items of menus, or keys, one after the other. */
  readonly dialog?: readonly string[];
  readonly administrators?: true;
}

const page = (name: string, path: View["path"] | string): View => ({
  name,
  path: typeof path === "string" ? () => path : path,
});
const dialog = (name: string, path: View["path"] | string, ...steps: string[]): View => ({
  ...page(name, path),
  dialog: steps,
});
const admin = (view: View): View => ({ ...view, name: `admin-${view.name}`, administrators: true });
const key = ({ key: { id } }: LargeShowcase) => `/keys/${id}`;

/** Every page and the dialogs that people meet daily. */
export const VIEWS: readonly View[] = [
  page("overview", "/"),
  page("keys", "/keys"),
  page("projects", "/keys?view=projects"),
  dialog("new-project", "/keys?view=projects", "Create a project"),
  page("new-key", "/keys/new"),
  page("key", key),
  page("key-aliases", (showcase) => `${key(showcase)}?tab=aliases`),
  page("key-limits", (showcase) => `${key(showcase)}?tab=limits`),
  dialog("key-rename", key, "Actions for", "Rename"),
  dialog("key-tags", key, "Actions for", "Edit tags"),
  dialog("key-move", key, "Actions for", "Move to a project"),
  dialog("key-roll", key, "Actions for", "Roll the secret"),
  page("aliases", "/aliases"),
  dialog("new-alias", "/aliases", "Add an alias"),
  page("usage", "/usage"),
  page("usage-by-tag", "/usage?by=tag&tag=run"),
  page("requests", "/requests"),
  page("requests-of-a-time", "/requests?time=custom&from=2026-01-01"),
  page("request", ({ request }) => `/requests/${request}`),
  page("credits", "/credits"),
  page("team", "/team"),
  dialog("invite", "/team", "Invite somebody"),
  dialog("management-key", "/team", "New management key"),
  page("models", "/models"),
  page("model", `/models/${LONG_MODEL}`),
  page("playground", "/playground"),
  page("settings", "/settings"),
  dialog("palette", "/", "Control+k"),
  dialog("shortcuts", "/", "?"),
  ...[
    page("overview-all", "/?account=all"),
    page("usage-all", "/usage?account=all"),
    page("usage-all-billed", "/usage?account=all&view=bill&by=day,tag&tag=run"),
    page("requests-all", "/requests?account=all"),
    page("accounts", "/admin/accounts"),
    dialog("new-account", "/admin/accounts", "Create account"),
    page("account", ({ account }) => `/admin/accounts/${account}`),
    dialog("credit", ({ account }) => `/admin/accounts/${account}`, "Add credit"),
    page("users", "/admin/users"),
    page("invitations", "/admin/users?tab=invitations"),
    dialog("invite", "/admin/users", "Invite a user"),
    page("vendors", "/admin/vendors"),
    page("vendor", "/admin/vendors/acme"),
    page("prices", "/admin/prices"),
    page("routes", "/admin/routes"),
    page("limits", "/admin/limits"),
    page("health", "/admin/health"),
    page("configuration", "/admin/configuration"),
    page("audit", "/admin/audit"),
  ].map(admin),
];
