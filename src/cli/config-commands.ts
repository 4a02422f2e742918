import type { Command } from "commander";
import { Element, ElementChange, ElementHistory, ElementList } from "../../contract/configuration.ts";
import { VendorTest } from "../../contract/vendors.ts";
import { ELEMENT_KINDS } from "../core/catalog/configuration-elements.ts";
import { changeInWords, elementInWords, historyInWords, tableOfElements } from "./describe-elements.ts";
import { type CallOptions, callAndPrint, gatewayCommand, queryOf } from "./shared/command.ts";
import type { CliDeps } from "./shared/deps.ts";
import { CliFailure } from "./shared/failure.ts";
import { callGateway } from "./shared/gateway-client.ts";
import { readSource } from "./shared/read-source.ts";

interface ElementTryOptions extends CallOptions {
  readonly vendor?: string;
  readonly model?: string;
  readonly upstreamModel?: string;
}
interface ElementChangeOptions extends CallOptions {
  readonly yes?: true;
}

/** A change as a preview takes it. */
interface PreviewBody {
  readonly kind: string;
  readonly id: string;
  readonly action: string;
  readonly value?: unknown;
  readonly to?: number;
}

const KINDS = ELEMENT_KINDS.join(", ");

/** Actions on an element that need only its name. */
const ACTIONS = [
  ["retire", "stop a model from taking new calls; its receipts, usage and prices stay"],
  ["reinstate", "let a retired model take calls again"],
  ["delete", "delete an element that only the database has; its history stays"],
  ["take-over", "copy an element of the file or the bundled catalog into the database, where it can be changed"],
  ["give-back", "drop the database's copy, so that the file or the bundled catalog applies again"],
] as const;

/** Adds the commands that show and change the configuration of a running gateway (docs/configuration.md). */
export function addConfigCommands(program: Command, deps: CliDeps): void {
  const config = program
    .command("config")
    .description("the configuration of a running gateway, element by element; no restart is needed");
  addViews(config, deps);
  const set = gatewayCommand(config, "set <kind> <id> <value>", "create or change an element, without a restart")
    .addHelpText("after", SET_HELP)
    .option("--yes", "apply it; without this, only the differences are printed");
  set.action(async (kind: string, id: string, value: string, options: ElementChangeOptions) =>
    change(deps, options, { kind, id, action: "put", value: await readValue(deps, value) }),
  );
  addTry(config, deps);
  for (const [action, description] of ACTIONS) {
    gatewayCommand(config, `${action} <kind> <id>`, description)
      .option("--yes", "apply it; without this, only the differences are printed")
      .action((kind: string, id: string, options: ElementChangeOptions) => change(deps, options, { kind, id, action }));
  }
  gatewayCommand(config, "take-back <kind> <id> <version>", "restore an earlier version (0: none)")
    .option("--yes", "apply it; without this, only the differences are printed")
    .action((kind: string, id: string, version: string, options: ElementChangeOptions) =>
      change(deps, options, { kind, id, action: "take-back", to: readVersion(version) }),
    );
}

function addTry(config: Command, deps: CliDeps): void {
  gatewayCommand(config, "try <kind> <id> <value>", "make one small call with a vendor or model, without saving it")
    .option("--vendor <id>", "for a model: the vendor that is asked (default: that of its first route)")
    .option("--model <id>", "for a vendor: the model that is asked for (default: its cheapest)")
    .option("--upstream-model <name>", "for a vendor without models: its own name for the one that is asked for")
    .action(async (kind: string, id: string, value: string, options: ElementTryOptions) => {
      const { vendor, model, upstreamModel: upstream_model } = options;
      // What is undefined is not sent.
      const body = { kind, id, value: await readValue(deps, value), vendor, model, upstream_model };
      const call = { method: "POST", path: ["configuration", "try"], body, answer: VendorTest } as const;
      return callAndPrint(deps, options, call, testInWords);
    });
}

function testInWords({ ok, vendor, upstream_model, protocol, duration_ms, text, error }: VendorTest): string {
  const where = `${vendor} by ${protocol}, as ${upstream_model}, in ${duration_ms} ms`;
  return ok
    ? `It answers: ${where}: ${JSON.stringify(text ?? "")}`
    : `It does not answer: ${where}: ${error?.message ?? ""}`;
}

const SET_HELP = `
The kinds are ${KINDS}. The value is what the file would say under the element's id, as YAML or JSON; @FILE reads
it from a file, - from the standard input. An alias's value is a model's id; the limits' id is default.

  camino config set model acme/swift-1 '{ price: { input: 3.00, output: 15.00 }, capabilities: { thinking: false } }'
  camino config set alias fast acme/swift-1 --yes
  camino config set vendor acme @acme.yaml`;

function addViews(config: Command, deps: CliDeps): void {
  gatewayCommand(config, "list", "what is configured, where it comes from, and what is left out")
    .option("--kind <kind>", `only ${KINDS}`)
    .option("--origin <origin>", "only what comes from file, bundled or console (the database)")
    .option("--search <text>", "only ids and names with this text")
    .action(async (options: CallOptions) => {
      const list = await wholeList(deps, options, { ...queryOf(options), limit: "1000" });
      deps.stdout(`${options.json ? JSON.stringify(list) : tableOfElements(list)}\n`);
    });
  gatewayCommand(config, "show <kind> <id>", "one element: as it is written, and as it takes effect").action(
    (kind: string, id: string, options: CallOptions) =>
      callAndPrint(deps, options, { method: "GET", path: [...ELEMENTS, kind, id], answer: Element }, elementInWords),
  );
  gatewayCommand(config, "history <kind> <id>", "the versions of an element, newest first").action(
    (kind: string, id: string, options: CallOptions) =>
      callAndPrint(
        deps,
        options,
        { method: "GET", path: [...ELEMENTS, kind, id, "history"], answer: ElementHistory },
        historyInWords,
      ),
  );
}

const ELEMENTS = ["configuration", "elements"];

async function wholeList(
  deps: CliDeps,
  options: CallOptions,
  query: Record<string, string | undefined>,
): Promise<ElementList> {
  const call = { method: "GET", path: ELEMENTS, answer: ElementList } as const;
  const first = await callGateway(deps, options, { ...call, query });
  const data = [...first.data];
  for (let after = first.next_after; after !== null; ) {
    const page = await callGateway(deps, options, { ...call, query: { ...query, after } });
    data.push(...page.data);
    after = page.next_after;
  }
  return { ...first, data, next_after: null };
}

/** Prints the preview of a change; makes the change where `--yes` says so and the gateway does not refuse it. */
async function change(deps: CliDeps, options: ElementChangeOptions, asked: PreviewBody): Promise<void> {
  const path = ["configuration", "preview"];
  const preview = await callGateway(deps, options, { method: "POST", path, body: asked, answer: ElementChange });
  if (preview.problems.length > 0) {
    const message = preview.problems.map((problem) => problem.message).join("\n");
    const error = { message, type: "invalid_request_error", param: "value", code: "invalid_request" };
    throw new CliFailure(message, { code: error.code, body: { error, problems: preview.problems } });
  }
  if (options.yes !== true) {
    const words = `${changeInWords(preview, false)}\nNothing is changed yet: --yes applies it.`;
    return void deps.stdout(`${options.json ? JSON.stringify(preview) : words}\n`);
  }
  const made = await callGateway(deps, options, { ...callOf(asked, preview.version), answer: ElementChange });
  deps.stdout(`${options.json ? JSON.stringify(made) : changeInWords(made, true)}\n`);
}

function callOf({ kind, id, action, value, to }: PreviewBody, version: number) {
  const path = [...ELEMENTS, kind, id];
  if (action === "put") return { method: "PUT", path, body: { value, version } } as const;
  return { method: "POST", path: [...path, action], body: { version, ...(to !== undefined && { to }) } } as const;
}

/** The value of `set`: every scalar stays the text that was written, so that no price passes through a float. */
async function readValue(deps: CliDeps, given: string): Promise<unknown> {
  const from = given === "-" ? given : given.startsWith("@") ? given.slice(1) : null;
  const text = from === null ? given : await readSource(from, deps.fetch);
  const { parseDocument } = await import("yaml");
  const document = parseDocument(text, { schema: "failsafe", prettyErrors: false });
  const [error] = document.errors;
  if (error !== undefined) {
    const [sentence] = error.message.split("\n");
    throw new CliFailure(`The value is not valid YAML or JSON: ${sentence}`, { code: "invalid_value" });
  }
  return document.toJS({ maxAliasCount: 100 }) ?? {};
}

function readVersion(text: string): number {
  if (/^\d{1,9}$/.test(text)) return Number(text);
  throw new CliFailure(`The version is '${text}'; allowed: the number of an earlier version, or 0 for none.`, {
    code: "invalid_version",
  });
}
