import type { Demo } from "./demo.ts";

/** The contents of the message to the person who started `camino serve`. */
export interface Banner {
  readonly url: string;
  /** The web console's address. */
  readonly console: string;
  /** A link that signs the first administrator in, once; null when an administrator can sign in otherwise. */
  readonly sign_in_link: string | null;
  /** Whether there is no administrator yet, and the link is not for everybody who reads this. */
  readonly sign_in_hidden: boolean;
  /** The address that answers health, readiness and metrics, if it is not `url`. */
  readonly operations_url: string | null;
  readonly database: string;
  readonly currency: string;
  readonly models: number;
  readonly vendors: readonly string[];
  /** Set when nothing is configured and the built-in simulator answers. */
  readonly demo: Demo | null;
  /** Whether real models have come, and the demo key of the first run still answers with simulated models. */
  readonly demo_goes_on: boolean;
}

/** How to get the link where it is not printed: the command needs the admin token, or the data directory. `command` starts this program (own-command.ts). */
export function signInCommand(command: string): string {
  return `${command} sign-in-link`;
}

const SIGN_IN_WORDS = "                     (as the first administrator: works once, for a day)";
const DEMO_GOES_ON = [
  "  The demo key of the first run still answers, with simulated models (sim/…) alone, which are not listed any more.",
  "  To end it, remove the file demo-key of the data directory and start again.",
];
const DEMO_MODEL = "sim/echo";

/** The message for a terminal: short, with commands that can be pasted. `command` starts this program (own-command.ts). */
export function bannerText(banner: Banner, command: string): string {
  const { url, demo } = banner;
  const lines = [
    "",
    `  Camino listens on ${url}`,
    `  Console            ${banner.console}`,
    ...(banner.sign_in_link === null ? [] : [`  Sign in to it      ${banner.sign_in_link}`, SIGN_IN_WORDS]),
    ...(banner.sign_in_hidden ? [`  First sign-in      ${signInCommand(command)} (prints a link, for a day)`] : []),
    `  API reference      ${url}/docs`,
    ...(banner.operations_url === null ? [] : [`  Operations         ${banner.operations_url}`]),
    `  Database           ${banner.database}`,
  ];
  if (demo === null) {
    lines.push(
      `  Vendors            ${banner.vendors.join(", ") || "none"} (${banner.models} ${banner.models === 1 ? "model" : "models"})`,
      "",
    );
    if (banner.demo_goes_on) lines.push(...DEMO_GOES_ON, "");
    lines.push("  Make an account and a key:");
    lines.push(`    ${command} account create you@example.com --credit 25`);
    lines.push(`    ${command} key create --account you@example.com`, "");
    return lines.join("\n");
  }
  lines.push("", "  Nothing is configured yet, so the built-in simulator answers (models sim/…). Try it:", "");
  if (demo.key === null) lines.push(`    ${command} key create --account ${demo.email}`, "");
  else lines.push(`    ${demoCommand(url, demo.key)}`, "", `  Demo key           ${demo.key}`);
  lines.push("  Real models        set OPENAI_API_KEY, ANTHROPIC_API_KEY, GEMINI_API_KEY, … and start again", "");
  return lines.join("\n");
}

/** The command for a first streamed call, in one line that can be pasted. */
function demoCommand(url: string, key: string): string {
  const body = JSON.stringify({
    model: DEMO_MODEL,
    stream: true,
    messages: [{ role: "user", content: "Hello, Camino!" }],
  });
  return `curl -N ${url}/v1/chat/completions -H "Authorization: Bearer ${key}" -H "Content-Type: application/json" -d '${body}'`;
}
