import { type Command, Option } from "commander";
import { Content, ContentList, ContentSwitches, DeletedContents } from "../../contract/contents.ts";
import { type CallOptions, callAndPrint, gatewayCommand, queryOf } from "./shared/command.ts";
import type { CliDeps } from "./shared/deps.ts";
import { CliFailure } from "./shared/failure.ts";
import { downloadFromGateway } from "./shared/gateway-client.ts";
import { counted, formatFields, formatTable } from "./shared/table.ts";

/** `camino content …`: what was said in requests and answers, where somebody switched that on (docs/rulings.md 184). */
export function addContentCommands(program: Command, deps: CliDeps): void {
  const content = program
    .command("content")
    .description("what was said in requests and answers, where that is kept; each look is in the audit log");
  addSwitch(content, deps);
  withFilters(gatewayCommand(content, "list", "find contents, the newest first"))
    .option("--before <request_id>", "only those that follow this one: the next page")
    .option("--limit <count>", "how many, 1 to 500", "50")
    .action((options: CallOptions) => {
      const call = { method: "GET", path: ["contents"], query: queryOf(options), answer: ContentList } as const;
      return callAndPrint(deps, options, call, tableOf);
    });
  withAccount(gatewayCommand(content, "show <request_id>", "what one request and its answer said")).action(
    (id: string, { account, ...options }: CallOptions & { readonly account: string }) => {
      const call = { method: "GET", path: ["contents", id], query: { account }, answer: Content } as const;
      return callAndPrint(deps, options, call, inWords);
    },
  );
  withFilters(gatewayCommand(content, "export", "write contents as lines of JSON")).action((options: CallOptions) =>
    downloadFromGateway(deps, options, { path: ["contents"], query: { ...queryOf(options), format: "jsonl" } }),
  );
  addDelete(content, deps);
}

function withAccount(command: Command): Command {
  return command.requiredOption("--account <account>", "whose contents: an e-mail or account id");
}

function withFilters(command: Command): Command {
  return withAccount(command)
    .option("--key <key>", "with one key, by id")
    .option("--model <model>", "of one model")
    .option("--status <status>", "answered with this HTTP status")
    .option("--tag <name=value>", "with this tag, or NAME= for those without it")
    .option("--user <id>", "of one end user, by the id that the requests had")
    .option("--from <time>", "that ended at this time or later, YYYY-MM-DD (UTC) or RFC 3339")
    .option("--to <time>", "that ended before this time")
    .option("--words <words>", "in which all of these words stand, where the account allows it");
}

interface SwitchOptions extends CallOptions {
  readonly account?: string;
  readonly project?: string;
  readonly key?: string;
  readonly words?: "on" | "off";
}

function addSwitch(content: Command, deps: CliDeps): void {
  gatewayCommand(content, "switch [on|off|clear]", "say where contents are kept, or show it")
    .option("--account <account>", "an e-mail or account id")
    .option("--project <project>", "of one project of the account, by id or name")
    .option("--key <key>", "of one key, by id")
    .addOption(new Option("--words <words>", "whether the account's contents may be searched").choices(["on", "off"]))
    .action((value: string | undefined, { account, project, key, words, ...options }: SwitchOptions) => {
      if (value === undefined) {
        const call = {
          method: "GET",
          path: ["contents", "switches"],
          query: { account },
          answer: ContentSwitches,
        } as const;
        return callAndPrint(deps, options, call, switchesInWords);
      }
      if (!["on", "off", "clear"].includes(value))
        throw new CliFailure(`'${value}' is no switch; allowed: on, off, clear.`, { code: "invalid_argument" });
      const content_log = value === "clear" ? null : value === "on";
      const body = { account, project, key, content_log, ...(words !== undefined && { words: words === "on" }) };
      const call = { method: "PUT", path: ["contents", "switches"], body, answer: ContentSwitches } as const;
      return callAndPrint(deps, options, call, switchesInWords);
    });
}

function addDelete(content: Command, deps: CliDeps): void {
  withAccount(gatewayCommand(content, "delete [request_id]", "delete what one request said, or one end user"))
    .option("--user <id>", "all that is kept of this end user")
    .action(
      (id: string | undefined, { account, user, ...options }: CallOptions & { account: string; user?: string }) => {
        if ((id === undefined) === (user === undefined))
          throw new CliFailure("Name either a request or, with --user, an end user.", { code: "invalid_argument" });
        const of_user = { method: "POST", path: ["contents", "delete-user"], body: { account, user } } as const;
        const call =
          id === undefined ? of_user : ({ method: "DELETE", path: ["contents", id], query: { account } } as const);
        return callAndPrint(
          deps,
          options,
          { ...call, answer: DeletedContents },
          ({ deleted }) => `Deleted ${counted(deleted, "content")}.`,
        );
      },
    );
}

function tableOf({ data, next_before }: ContentList): string {
  const more = next_before === null ? [] : [`More may follow: ask with --before ${next_before}.`];
  if (data.length === 0) return ["No content matches.", ...more].join("\n");
  const rows = data.map(({ at, request_id, status, key_name, key_id, model, bytes }) => [
    ...[at, request_id, String(status), key_name || key_id, model, String(bytes)],
  ]);
  return [formatTable(["time", "request", "status", "key", "model", ">bytes"], rows), ...more].join("\n");
}

const LEFT_OUT = {
  large: "not kept: it is larger than what is kept",
  bytes: "not kept: it is no text",
  not_maskable: "not kept: a mask might miss something in a stream of its kind",
} as const;

function inWords({ sent, answer, left_out, ...found }: Content): string {
  const fields = formatFields([
    ["request", found.request_id],
    ["time", found.at],
    ["key", found.key_name || found.key_id],
    ["model", found.model],
    ["vendor", found.vendor ?? "none was asked"],
    ["status", found.error === null ? String(found.status) : `${found.status} ${found.error}`],
  ]);
  const side = (text: string | null, why: keyof typeof LEFT_OUT | undefined): string =>
    text ?? `(${why === undefined ? "nothing" : LEFT_OUT[why]})`;
  return [fields, "", "sent:", side(sent, left_out.sent), "", "answered:", side(answer, left_out.answer)].join("\n");
}

function switchesInWords({ content_log, words, projects, keys, keep_s, most_bytes, mask }: ContentSwitches): string {
  const state = (is_on: boolean | null): string => (is_on === null ? "off (nobody has said)" : is_on ? "on" : "off");
  return formatFields([
    ["account", state(content_log)],
    ["words", words ? "may be searched" : "may not be searched"],
    ...projects.map(({ name, id, content_log: is_on }) => [`project ${name || id}`, state(is_on)] as const),
    ...keys.map(({ name, id, content_log: is_on }) => [`key ${name || id}`, state(is_on)] as const),
    ["kept for", `${Math.round(keep_s / 86_400)} days, at most ${most_bytes} bytes of all accounts`],
    ["masked", mask.length === 0 ? "nothing" : mask.join(", ")],
  ]);
}
