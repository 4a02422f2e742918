/**
 * `npm run page-times -- --url http://127.0.0.1:8787 --token ADMIN_TOKEN`: how long the pages of a running gateway's console take in a browser,
 * from the click on a link until the page has all that it shows. For databases that `npm run fill` has made. See README.md.
 */
import { parseArgs } from "node:util";
import type { Page } from "playwright-core";
import { openConsole, SETTLED } from "./open-console.ts";

const ROUNDS = 5;

interface Timed {
  readonly name: string;
  /** Milliseconds of each round, the shortest first. */
  readonly took_ms: readonly number[];
  /** The slowest calls of the last round. */
  readonly calls: readonly string[];
}

/** Goes to a page as a link does, and says how long it took and which calls it made. Evaluated in the page. */
const GO = `async (path) => {
  performance.clearResourceTimings();
  performance.setResourceTimingBufferSize(1000);
  const before = document.querySelector("main h1");
  const began = performance.now();
  history.pushState(null, "", path);
  const frame = () => new Promise((next) => requestAnimationFrame(next));
  while (before?.isConnected || !${SETTLED}) {
    await frame();
    if (performance.now() - began > 60000) break;
  }
  const took_ms = performance.now() - began;
  // What a page asks for after it is shown: counts and names that it fills in.
  await new Promise((next) => setTimeout(next, 300));
  const calls = performance.getEntriesByType("resource").filter(({ name }) => name.includes("/console/api/"))
    .sort((one, two) => two.duration - one.duration)
    .map(({ name, duration }) => Math.round(duration) + " ms " + name.replace(/.*console.api/, ""));
  const failed = document.querySelector("main [role=alert]")?.textContent;
  return { took_ms, calls: failed ? ["FAILED: " + failed, ...calls] : calls };
}`;

async function time(page: Page, name: string, path: string): Promise<Timed> {
  const took_ms: number[] = [];
  let calls: readonly string[] = [];
  for (let round = 0; round < ROUNDS; round += 1) {
    // A new document: nothing that an earlier round was answered is remembered.
    await page.goto("/console/settings");
    await page.getByRole("heading", { level: 1, name: "Settings" }).waitFor();
    const gone = await page.evaluate<{ took_ms: number; calls: string[] }>(`(${GO})(${JSON.stringify(path)})`);
    took_ms.push(gone.took_ms);
    calls = gone.calls.slice(0, 3);
  }
  return { name, took_ms: took_ms.toSorted((one, two) => one - two), calls };
}

/** The pages that grow with the gateway, of an account with many requests and of all accounts. */
async function pagesOf(page: Page): Promise<readonly [name: string, path: string][]> {
  await page.goto("/console/settings");
  const get = async <Body>(path: string): Promise<Body> =>
    (await (await page.request.get(`/console/api${path}`)).json()) as Body;
  const { data: accounts } = await get<{ data: { id: string; email: string }[] }>("/accounts?limit=50");
  const account = accounts[20] ?? accounts[0];
  if (account === undefined) throw new Error("the gateway has no accounts: fill its database first (npm run fill)");
  const { data: requests } = await get<{ data: { id: string }[] }>(`/requests?account=${account.id}&limit=1`);
  const of = `account=${account.id}`;
  return [
    ["overview, all accounts", "/console/?account=all"],
    ["overview, one account", `/console/?${of}`],
    ["requests, all accounts", "/console/requests?account=all"],
    ["requests, all accounts, failed", "/console/requests?account=all&status=failed"],
    ["requests, one account", `/console/requests?${of}`],
    ["requests, by id", `/console/requests/${requests[0]?.id ?? "none"}?${of}`],
    ["usage, all accounts", "/console/usage?account=all"],
    ["usage, all accounts, by key", "/console/usage?account=all&by=key"],
    ["usage, all accounts, by account", "/console/usage?account=all&by=account"],
    ["usage, all accounts, by account, 90 days", "/console/usage?account=all&by=account&range=90d"],
    ["usage, one account", `/console/usage?${of}`],
    ["keys, one account", `/console/keys?${of}`],
    ["accounts", "/console/admin/accounts"],
    ["accounts, searched", `/console/admin/accounts?q=${account.email.slice(0, 6)}`],
    ["one account", `/console/admin/accounts/${account.id}`],
    ["users", "/console/admin/users"],
    ["limits", "/console/admin/limits"],
    ["audit log", "/console/admin/audit"],
    ["health", "/console/admin/health"],
  ];
}

const { values } = parseArgs({
  args: process.argv.slice(2),
  options: {
    url: { type: "string" },
    token: { type: "string" },
    only: { type: "string", default: "" },
    path: { type: "string" },
  },
});
if (values.url === undefined || values.token === undefined) {
  console.error(
    "npm run page-times -- --url http://127.0.0.1:8787 --token ADMIN_TOKEN [--only WORDS | --path /console/…]",
  );
  process.exit(2);
}
await using opened = await openConsole({ url: values.url, admin_token: values.token });
console.log("page | shortest | median | longest");
const asked = values.path;
for (const [name, path] of asked === undefined ? await pagesOf(opened.page) : [[asked, asked] as const]) {
  if (!name.includes(values.only)) continue;
  const { took_ms, calls } = await time(opened.page, name, path);
  const [shortest = 0, median = 0, longest = 0] = [took_ms[0], took_ms[ROUNDS >> 1], took_ms.at(-1)];
  console.log(`${name} | ${shortest.toFixed(0)} ms | ${median.toFixed(0)} ms | ${longest.toFixed(0)} ms`);
  console.log(`    ${calls.join("; ")}`);
}
