import { type LargeShowcase, LONG_MODEL } from "../../support/large-showcase.ts";
import type { Step } from "./steps.ts";

/** A page of the console, or what its user makes of it. */
export interface View {
  readonly name: string;
  readonly path: (showcase: LargeShowcase) => string;
  /** What the user does there, one after the other. */
  readonly steps?: readonly Step[];
  /** The steps open a dialog. */
  readonly dialog?: true;
  readonly administrators?: true;
  /** Who looks: nobody has signed in, or a user whose session ends before the steps. Default: a user. */
  readonly visitor?: "signed-out" | "ended";
}

type Path = View["path"] | string;

const page = (name: string, path: Path, ...steps: Step[]): View => ({
  name,
  path: typeof path === "string" ? () => path : path,
  steps,
});
const dialog = (name: string, path: Path, ...steps: Step[]): View => ({ ...page(name, path, ...steps), dialog: true });
const admin = (view: View): View => ({ ...view, name: `admin-${view.name}`, administrators: true });
const signedOut = (view: View): View => ({ ...view, visitor: "signed-out" });

const key = ({ key: { id } }: LargeShowcase) => `/keys/${id}`;
const account = (showcase: LargeShowcase) => `/admin/accounts/${showcase.account}`;
const QUESTION = "How far is it to Santiago, and which of the ways there is the quietest in late autumn?";
const ask: readonly Step[] = [{ into: "Message", type: QUESTION }, "Send"];
const NEW_MODEL: readonly Step[] = [
  { into: "Id", type: "ours/model-of-the-research-and-development-department" },
  "Set a price",
  { into: "Input", type: "123456.789012" },
  { into: "Output", type: "987654.321098" },
  "Add a price for long input",
  { into: "Above this many input tokens", type: "200000" },
  "Add a price from a later day",
  "Add a route",
  { into: "Vendor", choose: "acme" },
  { into: "The vendor's model name", type: "echo" },
];

/** Every page, what its forms are with something in them, and the dialogs that people meet daily. */
export const VIEWS: readonly View[] = [
  page("overview", "/"),
  page("keys", "/keys"),
  page("projects", "/keys?view=projects"),
  dialog("new-project", "/keys?view=projects", "Create a project"),
  page("new-key", "/keys/new"),
  dialog("key-created", "/keys/new", { into: "Name", type: "Evaluation of language models" }, "Create key"),
  page("key", key),
  page("key-aliases", (showcase) => `${key(showcase)}?tab=aliases`),
  page("key-limits", (showcase) => `${key(showcase)}?tab=limits`),
  page("key-snippets", (showcase) => `${key(showcase)}?tab=snippets`),
  dialog("key-rename", key, "Actions for", "Rename"),
  dialog("key-tags", key, "Actions for", "Edit tags"),
  dialog("key-move", key, "Actions for", "Move to a project"),
  dialog("key-roll", key, "Actions for", "Roll the secret"),
  dialog("key-raise", key, "Raise for a while"),
  page("aliases", "/aliases"),
  page(
    "aliases-resolved",
    "/aliases",
    { into: "What does this name resolve to?", type: "fast-model-of-the-research-department" },
    { waits: "is an alias of" },
  ),
  dialog("new-alias", "/aliases", "Add an alias"),
  page("usage", "/usage"),
  page("usage-by-tag", "/usage?by=tag&tag=run"),
  page("usage-by-hour", "/usage?view=traffic&by=error"),
  page("requests", "/requests"),
  page("requests-of-a-time", "/requests?time=custom&from=2026-01-01"),
  page("requests-refused", "/requests?time=custom&from=2026-01-01&status=refused"),
  page("request", ({ request }) => `/requests/${request}`),
  page("request-failed", ({ failed }) => `/requests/${failed}`),
  page("requests-said", "/requests/said"),
  page("request-said", ({ request }) => `/requests/${request}`, "Show what was said", {
    waits: "Nothing is kept of this request",
  }),
  page("tag", "/tags/run"),
  page("credits", "/credits"),
  page("alerts", "/alerts"),
  dialog("alert-target", "/alerts", "Add a target"),
  page("team", "/team"),
  dialog("invite", "/team", "Invite a member"),
  dialog("management-key", "/team", "New management key"),
  page("models", "/models"),
  dialog("models-compared", "/models", { check: /^Compare (research|swift|unreachable)/ }, "Compare"),
  page("model", `/models/${LONG_MODEL}`),
  page("playground", "/playground?model=acme/swift-1"),
  page("playground-settings", "/playground?model=acme/swift-1", "More settings"),
  page("playground-answer", "/playground?model=acme/swift-1", ...ask, { waits: "Receipt" }),
  page("playground-events", "/playground?model=acme/swift-1", ...ask, { waits: "Receipt" }, "Raw events"),
  page("playground-code", "/playground?model=acme/swift-1&tab=code"),
  page("playground-compare", `/playground?model=acme/swift-1&compare=${LONG_MODEL}`, ...ask, { waits: "in all" }),
  ...["images&model=acme/draw", "speech&model=acme/speak", "embeddings&model=acme/embed"].map((task) =>
    page(
      `playground-${task.split("&")[0]}`,
      `/playground?style=${task}`,
      task.startsWith("images") ? "Draw" : task.startsWith("speech") ? "Speak" : "Compare",
      { waits: "Receipt" },
    ),
  ),
  page("playground-error", "/playground?model=away/unreachable", ...ask, { waits: "Try again" }),
  page("settings", "/settings"),
  dialog("palette", "/", "Control+k"),
  dialog("palette-found", "/", "Control+k", { into: "Go to", type: "research" }),
  dialog("shortcuts", "/", "?"),
  page("nowhere", "/nowhere"),
  ...[
    dialog("switcher", "/", "Account"),
    page("overview-all", "/?account=all"),
    page("usage-all", "/usage?account=all"),
    page("usage-all-billed", "/usage?account=all&view=bill&by=day,tag&tag=run"),
    page("requests-all", "/requests?account=all"),
    page("requests-all-refused", "/requests?account=all&time=custom&from=2026-01-01&status=refused"),
    page("accounts", "/admin/accounts"),
    dialog("new-account", "/admin/accounts", "Create account"),
    page("account", account),
    dialog("credit", account, "Add credit"),
    dialog("tag-value", "/tags/run", "Limit a value"),
    dialog("account-limits", account, "More actions", "limits"),
    page("users", "/admin/users"),
    page("invitations", "/admin/users?tab=invitations"),
    page("management-keys", "/admin/users?tab=keys"),
    dialog("invite", "/admin/users", "Invite a user"),
    page("vendors", "/admin/vendors"),
    page("vendor", "/admin/vendors/acme"),
    page("new-vendor", "/admin/vendors/new"),
    page("vendor-offers", "/admin/vendors/acme", "Fetch models", { waits: "Offered as" }),
    page("vendor-test-call", "/admin/vendors/acme", "Make a test call", { waits: "Asked for" }),
    dialog("credential", "/admin/vendors/anthropic", "Set credential"),
    page("prices", "/admin/prices"),
    dialog("price", `/admin/prices?model=${LONG_MODEL}`),
    page("routes", "/admin/routes"),
    page("limits", "/admin/limits"),
    page("health", "/admin/health"),
    page("alerts", "/admin/alerts"),
    page("configuration", "/admin/configuration"),
    page("configuration-aliases", "/admin/configuration?kind=alias"),
    page("configuration-vendors", "/admin/configuration?kind=vendor"),
    page("configuration-limits", "/admin/configuration?kind=limits"),
    page("configuration-element", `/admin/configuration/model/${encodeURIComponent(LONG_MODEL)}`),
    dialog("configuration-take-over", "/admin/configuration/model/acme%2Fswift-1", "Take over"),
    page("configuration-form", "/admin/configuration/model/new", ...NEW_MODEL),
    page("configuration-as-text", "/admin/configuration/model/new", ...NEW_MODEL, "Edit as text"),
    page("configuration-mistake", "/admin/configuration/model/new", ...NEW_MODEL, "Preview the change", {
      waits: "Enter the price",
    }),
    page(
      "configuration-difference",
      "/admin/configuration/model/new",
      ...NEW_MODEL,
      { into: "From", at: 1, type: "2031-01-01" },
      { into: "Input", at: 2, type: "1.5" },
      { into: "Output", at: 2, type: "7.5" },
      { into: "Input", at: 1, type: "223456.789012" },
      { into: "Output", at: 1, type: "1987654.321098" },
      { into: "Input", at: 3, type: "2.5" },
      { into: "Output", at: 3, type: "9.5" },
      "Preview the change",
      { waits: "What changes" },
    ),
    page("configuration-new-vendor", "/admin/configuration/vendor/new"),
    page("configuration-new-alias", "/admin/configuration/alias/new"),
    page("configuration-export", "/admin/configuration/export"),
    page("audit", "/admin/audit"),
  ].map(admin),
  signedOut(page("sign-in", "/sign-in")),
  signedOut(
    page(
      "sign-in-refused",
      "/sign-in",
      { into: "E-mail", type: "nobody@subsidiary.of.a.very.large.company.example.com" },
      { into: "Password", type: "not-the-password" },
      "Sign in",
      { waits: "wrong" },
    ),
  ),
  signedOut(page("sign-in-link", ({ invitation }) => `/sign-in#${invitation}`)),
  // Last: what comes behind it would have to sign in again.
  {
    ...dialog("session-ended", "/keys/new", { into: "Name", type: "Nightly evaluation" }, "Create key", {
      waits: "Your session has ended",
    }),
    visitor: "ended",
  },
];
