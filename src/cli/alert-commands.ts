import type { Command } from "commander";
import {
  type AddTarget,
  AlertTarget,
  AlertTargetList,
  Delivery,
  DeliveryList,
  TestedTarget,
} from "../../contract/alerts.ts";
import { Deleted } from "../../contract/common.ts";
import { type CallOptions, callAndPrint, gatewayCommand, print } from "./shared/command.ts";
import type { CliDeps } from "./shared/deps.ts";
import { callGateway } from "./shared/gateway-client.ts";
import { formatTable } from "./shared/table.ts";

type AccountOptions = CallOptions & { readonly account?: string };

/** `camino alert …` and `camino delivery …`: to whom alerts go, and what was told. */
export function addAlertCommands(program: Command, deps: CliDeps, end: (status: number) => void): void {
  const alert = program
    .command("alert")
    .description("alerts: the mail addresses, webhooks and Slack channels that hear of trouble");
  const whose = "of an account, by e-mail or id; without it the gateway's, which hear of everything";

  gatewayCommand(alert, "list", "list the targets of alerts; --json shows their secrets")
    .option("--account <account>", whose)
    .action(({ account, ...options }: AccountOptions) => {
      const call = { method: "GET", path: ["alerts", "targets"], query: { account }, answer: AlertTargetList } as const;
      return callAndPrint(deps, options, call, ({ data }) => tableOfTargets(data, deps.command));
    });

  gatewayCommand(alert, "add <target>", "add a target: mail:ADDRESS, webhook:URL or slack:URL")
    .option("--account <account>", whose)
    .option("--types <type,...>", "the types that it hears, such as balance.low (default: all)", readTypes)
    .action((to: string, { account, types, ...options }: AccountOptions & Pick<AddTarget, "types">) => {
      const body = { account, to, types };
      const call = { method: "POST", path: ["alerts", "targets"], body, answer: AlertTarget } as const;
      return callAndPrint(deps, options, call, (target) => addedWords(target, deps.command));
    });

  gatewayCommand(alert, "remove <target_id>", "remove a target, and what waits for it").action(
    (id: string, options: CallOptions) => {
      const call = { method: "DELETE", path: ["alerts", "targets", id], answer: Deleted } as const;
      return callAndPrint(deps, options, call, () => `Removed the target ${id}.`);
    },
  );

  gatewayCommand(alert, "test <target_id>", "send a test to a target now, and say what became of it").action(
    async (id: string, options: CallOptions) => {
      const call = { method: "POST", path: ["alerts", "targets", id, "test"], body: {}, answer: TestedTarget } as const;
      const tested = await callGateway(deps, options, call);
      print(deps, options, tested, ({ sent, reason }) =>
        sent ? `The target ${id} has taken a test.` : `The test did not arrive at ${id}: ${reason}.`,
      );
      if (!tested.sent) end(1);
    },
  );
  addDeliveryCommands(program, deps, whose);
}

function addDeliveryCommands(program: Command, deps: CliDeps, whose: string): void {
  const delivery = program
    .command("delivery")
    .description("deliveries: what was told to targets of alerts and usage events, and what became of it");
  gatewayCommand(delivery, "list", "list what was told, newest first")
    .option("--account <account>", whose)
    .option("--limit <number>", "how many, at most 500 (default: 50)")
    .action(({ account, limit, ...options }: AccountOptions & { limit?: string }) => {
      const call = { method: "GET", path: ["deliveries"], query: { account, limit }, answer: DeliveryList } as const;
      return callAndPrint(deps, options, call, ({ data }) => tableOfDeliveries(data));
    });
  gatewayCommand(delivery, "resend <delivery_id>", "send once more, under the same id, what was told").action(
    (id: string, options: CallOptions) => {
      const call = { method: "POST", path: ["deliveries", id, "resend"], body: {}, answer: Delivery } as const;
      return callAndPrint(deps, options, call, () => `${id} is sent again.`);
    },
  );
}

/** Reads names with commas between them. The gateway refuses a name that is no type. */
function readTypes(text: string): string[] {
  return text.split(",").map((each) => each.trim());
}

function addedWords({ id, channel, secret }: AlertTarget, command: string): string {
  const lines = [`Added the target ${id}.`, `Try it: ${command} alert test ${id}`];
  if (channel === "webhook" && secret !== undefined) lines.splice(1, 0, `Its webhooks are signed with ${secret}`);
  return lines.join("\n");
}

function tableOfTargets(data: readonly AlertTarget[], command: string): string {
  if (data.length === 0) return `No targets. Add one with: ${command} alert add mail:you@example.com`;
  const head = ["id", "channel", "to", "types", "state"];
  const rows = data.map(({ id, channel, to, types, of_file, ended_reason }) => [
    ...[id, channel, to, types === null ? "all" : types.join(",")],
    ended_reason === null ? (of_file ? "of the file" : "active") : `ended: ${ended_reason}`,
  ]);
  return formatTable(head, rows);
}

function tableOfDeliveries(data: readonly Delivery[]): string {
  if (data.length === 0) return "Nothing was told yet.";
  const rows = data.map(({ id, created_at, type, target, state, attempts, reason }) => [
    ...[id, created_at, type, target, state, String(attempts), reason ?? ""],
  ]);
  return formatTable(["id", "created", "type", "target", "state", ">tries", "last failure"], rows);
}
