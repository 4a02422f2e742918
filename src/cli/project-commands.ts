import type { Command } from "commander";
import { Deleted } from "../../contract/common.ts";
import { Project, ProjectList } from "../../contract/projects.ts";
import { CLEARABLE_PROJECT, clearing } from "./clear-fields.ts";
import { editBody, withoutLimits } from "./edit-body.ts";
import {
  budgetWords,
  type LimitOptions,
  limitFields,
  limitsIn,
  modelLimitFields,
  withCache,
  withLimits,
} from "./limit-options.ts";
import { addRaise } from "./raise-command.ts";
import { type CallOptions, callAndPrint, gatewayCommand } from "./shared/command.ts";
import type { CliDeps } from "./shared/deps.ts";
import { formatFields, formatTable } from "./shared/table.ts";
import {
  changeThenValues,
  isEmpty,
  type TagLimitOptions,
  tagLimitFields,
  withTagLimits,
  withTagValues,
} from "./tag-limit-options.ts";

interface ProjectFieldOptions extends CallOptions, LimitOptions, TagLimitOptions {
  readonly cache?: string;
}

/** `camino project …`: groups of an account's keys with their own limits. */
export function addProjectCommands(program: Command, deps: CliDeps): void {
  const project = program.command("project").description("projects: groups of an account's keys with their own limits");
  addCreate(project, deps);

  gatewayCommand(project, "list", "list the projects of an account, or all")
    .option("--account <account>", "an e-mail or account id")
    .option("--search <words>", "only those whose name or id has these words")
    .action(({ account, search, ...options }: CallOptions & { account?: string; search?: string }) => {
      const query = { account, q: search, limit: "500" };
      return callAndPrint(deps, options, { method: "GET", path: ["projects"], query, answer: ProjectList }, (list) =>
        tableOf(list, deps.command),
      );
    });

  gatewayCommand(project, "show <project_id>", "show one project, with its budget's use").action(
    (id: string, options: CallOptions) =>
      callAndPrint(deps, options, { method: "GET", path: ["projects", id], answer: Project }, fieldsOf),
  );

  addEdit(project, deps);
  addRaise(project, deps, "projects");

  gatewayCommand(project, "delete <project_id>", "delete a project that has no keys; its usage stays").action(
    (id: string, options: CallOptions) => {
      const call = { method: "DELETE", path: ["projects", id], answer: Deleted } as const;
      return callAndPrint(deps, options, call, () => `Deleted project ${id}.`);
    },
  );
}

function addCreate(project: Command, deps: CliDeps): void {
  const create = gatewayCommand(project, "create <name>", "create a project").requiredOption(
    "--account <account>",
    "whose project it is: an e-mail or account id",
  );
  withTagLimits(withCache(withLimits(create))).action(
    (name: string, options: ProjectFieldOptions & { readonly account: string }) => {
      const body = { account: options.account, name, ...fieldsIn(options) };
      const call = { method: "POST", path: ["projects"], body, answer: Project } as const;
      return callAndPrint(deps, options, call, ({ id, account }) =>
        [
          `Created project ${id} (${name}) of account ${account}.`,
          `Create a key for it: ${deps.command} key create --account ${account} --project ${id}`,
        ].join("\n"),
      );
    },
  );
}

function addEdit(project: Command, deps: CliDeps): void {
  const edit = gatewayCommand(
    project,
    "edit <project_id>",
    "rename a project or change its limits; options that you leave out stay as they are",
  ).option("--name <text>", "its name, which no other project of the account has");
  withTagValues(withCache(withLimits(edit)))
    .option("--clear <field,...>", `take limits away: ${CLEARABLE_PROJECT.join(", ")}`, clearing(CLEARABLE_PROJECT))
    .action(
      (
        id: string,
        options: ProjectFieldOptions & { name?: string; clear?: readonly (typeof CLEARABLE_PROJECT)[number][] },
      ) => {
        const { name, clear = [], tagValue: values = [] } = options;
        const given = { name, ...fieldsIn(options) };
        const only_values = values.length > 0 && clear.length === 0 && isEmpty(given);
        const change = only_values ? null : editBody(edit, "project", given, withoutLimits(clear));
        return changeThenValues(deps, options, { path: ["projects", id], change, values, answer: Project }, fieldsOf);
      },
    );
}

function fieldsIn({ tagLimit: tag_limits, endUserTag: end_user_tag, cache, ...limits }: ProjectFieldOptions) {
  return { ...limitsIn(limits), tag_limits, end_user_tag, cache };
}

function tableOf({ data, has_more }: ProjectList, command: string): string {
  if (data.length === 0)
    return `There are no projects. Make one with: ${command} project create NAME --account ACCOUNT`;
  const columns = ["id", "account", "name", ">keys", "budget"];
  const rows = data.map((each) => [
    each.id,
    each.account,
    each.name,
    String(each.key_count),
    budgetWords(each.limits.budget, each.use),
  ]);
  const more = has_more ? ["There are more: name an --account, or --search."] : [];
  return [formatTable(columns, rows), ...more].join("\n");
}

function fieldsOf(project: Project): string {
  const { limits } = project;
  return formatFields([
    ["id", project.id],
    ["account", project.account],
    ["name", project.name],
    ["keys", String(project.key_count)],
    ...limitFields(limits, "no project limit"),
    ["budget", budgetWords(limits.budget, project.use)],
    ...modelLimitFields(limits.model_limits),
    ...tagLimitFields(limits),
    ["cache", project.cache],
    ["created", project.created_at],
  ]);
}
