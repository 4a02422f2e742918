import type { SubKeys } from "../access/sub-keys.ts";
import { SIMULATOR_ID } from "../catalog/bundled/simulated-vendor.ts";
import type { CliDeps, ServeOptions } from "../cli/shared/deps.ts";
import { ADDRESS_FILE } from "../cli/shared/gateway-client.ts";
import type { Configuration } from "../core/catalog/catalog.ts";
import type { ConsoleSettings } from "../core/catalog/console-settings.ts";
import type { Environment } from "../core/environment.ts";
import type { Store } from "../core/store/ports.ts";
import type { Log } from "../observe/log.ts";
import { type Banner, bannerText, signInCommand } from "./greeting/banner.ts";
import { prepareDemo } from "./greeting/demo.ts";
import { firstSignIn, mayShowLink } from "./greeting/first-sign-in.ts";
import type { Servers } from "./listen.ts";
import { ownCommand } from "./own-command.ts";
import type { DataDirectory } from "./settings/data-directory.ts";

interface Introduced extends Servers {
  readonly options: ServeOptions;
  readonly env: Environment;
  readonly host: string;
  readonly data: DataDirectory;
  readonly store: Store;
  readonly keys: SubKeys;
  readonly log: Log;
  readonly console_settings: ConsoleSettings;
  readonly configuration: Configuration;
  /** Whether nothing was configured outside the console. */
  readonly first_run: boolean;
  /** Whether this process is the first of the gateway's start, which makes the link for the first administrator. */
  readonly is_first: boolean;
}

/** Makes what the person who starts a gateway needs first, and the message that shows it. Logs what it does not show. */
export async function introduce(given: Introduced): Promise<Banner> {
  const { options, env, host, data, store, keys, log, console_settings, configuration, server, apart } = given;
  // Commands that are given this directory find the gateway there.
  if (given.is_first) await data.replace(ADDRESS_FILE, reachable(server.url));
  // With a credential from the console the gateway is configured, and its models are real.
  const is_first_run = given.first_run && configuration.vendors.has(SIMULATOR_ID) && !isForDemo(configuration);
  const demo = is_first_run ? await prepareDemo(store, keys, data) : null;
  const origin = console_settings.public_url ?? byName(server.url);
  const may_show = mayShowLink({ options, env, host, is_first_run });
  const account = demo?.email ?? null;
  const sign_in = given.is_first ? await firstSignIn(store, keys, { origin, account, may_show }) : null;
  if (sign_in === "hidden") {
    const command = signInCommand(ownCommand(env));
    log.warn({ command }, "no administrator can sign in yet");
  }
  return {
    url: server.url,
    console: `${origin}/console/`,
    sign_in_link: sign_in === "hidden" ? null : sign_in,
    sign_in_hidden: sign_in === "hidden",
    operations_url: apart?.url ?? null,
    database: store.description,
    currency: configuration.currency,
    ...shownOf(configuration, is_first_run),
    demo,
    demo_goes_on: !is_first_run && isForDemo(configuration),
  };
}

/** An address at which this machine reaches a server that listens at all of its addresses. */
function reachable(url: string): string {
  return url.replace("//0.0.0.0:", "//127.0.0.1:").replace("//[::]:", "//[::1]:");
}

/** The address of this machine by its name: browsers make passkeys for host names alone. */
function byName(url: string): string {
  return url.replace("//127.0.0.1:", "//localhost:");
}

/** Whether the simulator answers beside other vendors, for the demo key of the first run alone. */
function isForDemo({ models }: Configuration): boolean {
  return models.values().some(({ unlisted }) => unlisted === "demo");
}

function shownOf(configuration: Configuration, is_first_run: boolean): Pick<Banner, "models" | "vendors"> {
  const { models, vendors } = configuration;
  const hides_simulator = !is_first_run && isForDemo(configuration);
  return {
    models: [...models.values()].filter(({ unlisted }) => unlisted === undefined).length,
    vendors: [...vendors.values()].flatMap(({ id, name }) => (hides_simulator && id === SIMULATOR_ID ? [] : [name])),
  };
}

/** Prints the banner, or its facts as one JSON document. `more`: further members of the document. */
export function announce(
  banner: Banner,
  { json }: ServeOptions,
  output: Pick<CliDeps, "env" | "stdout" | "stderr">,
  more: object = {},
): void {
  if (json) output.stdout(`${JSON.stringify({ ...banner, pid: process.pid, ...more })}\n`);
  else output.stderr(bannerText(banner, ownCommand(output.env)));
}
