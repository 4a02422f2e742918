/**
 * The guide's recipes, as the command palette finds them: the page under `how-to/`, its title, and other words that people type for the same
 * task. A test compares them with the documents.
 */
export const RECIPES: readonly { readonly page: string; readonly title: string; readonly also: string }[] = [
  { page: "use-claude-code", title: "Use Claude Code", also: "anthropic cli set up connect" },
  { page: "use-codex", title: "Use Codex", also: "openai cli set up connect" },
  { page: "use-an-openai-sdk", title: "Use an OpenAI SDK", also: "python typescript javascript client base url" },
  { page: "use-google-genai", title: "Use Google's SDK or Gemini CLI", also: "genai vertex client set up connect" },
  { page: "run-on-docker", title: "Run on Docker", also: "container compose image" },
  { page: "run-on-kubernetes", title: "Run on Kubernetes", also: "k8s helm deploy pods" },
  { page: "change-the-port", title: "Change the port", also: "listen address host 8787" },
  { page: "put-nginx-in-front", title: "Put nginx in front", also: "reverse proxy tls https domain" },
  { page: "invite-a-colleague", title: "Invite a colleague", also: "user member team add person" },
  { page: "reset-a-password", title: "Reset a password", also: "forgot forgotten lost sign-in link login" },
  { page: "set-up-single-sign-on", title: "Set up single sign-on", also: "sso oidc openid google okta entra" },
  {
    page: "give-a-customer-a-daily-budget",
    title: "Give a customer a key with a daily budget",
    also: "limit spend cap monthly",
  },
  { page: "limit-a-key-to-models", title: "Limit a key to some models", also: "allowed restrict patterns" },
  { page: "revoke-a-key", title: "Revoke or replace a key", also: "rotate roll delete disable" },
  { page: "add-credit", title: "Add credit, or fix a wrong booking", also: "top up balance refund correction money" },
  { page: "find-who-spends-most", title: "Find out who spends most", also: "usage cost report account" },
  { page: "export-usage-as-csv", title: "Export usage as CSV", also: "download spreadsheet excel report" },
  { page: "ask-nothing-twice", title: "Ask no vendor the same question twice", also: "cache response caching repeat" },
  { page: "add-a-vendor", title: "Add your own vendor", also: "provider custom ollama vllm openai-compatible" },
  { page: "test-a-vendor", title: "Test a vendor", also: "provider credential check doctor" },
  { page: "alias-a-model", title: "Give a model another name", also: "alias rename map" },
  { page: "change-a-price-on-a-date", title: "Change a price on a date", also: "next month dated increase" },
  {
    page: "find-out-why-a-call-failed",
    title: "Find out why a call failed",
    also: "error request id 4xx 5xx 429 debug",
  },
  { page: "read-a-receipt", title: "Read a receipt", also: "charge bill cost lines" },
  {
    page: "recover-from-a-lost-secret",
    title: "Recover from a lost secret",
    also: "CAMINO_SECRET keys invalid restore",
  },
  {
    page: "rotate-everything-after-a-leak",
    title: "Rotate everything after a leak",
    also: "stolen compromised security",
  },
  { page: "back-up-and-restore", title: "Back up and restore", also: "backup snapshot recovery" },
  { page: "move-to-another-machine", title: "Move to another machine", also: "migrate server host copy" },
  { page: "move-to-postgresql", title: "Move to PostgreSQL", also: "postgres database sqlite migrate" },
  { page: "run-several-nodes", title: "Run several nodes", also: "cluster scale high availability replicas" },
  { page: "upgrade", title: "Upgrade", also: "update new version release" },
  { page: "monitor-with-prometheus", title: "Monitor it with Prometheus", also: "metrics grafana alerts" },
];
