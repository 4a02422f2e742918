import type { AskedTool } from "../ask.ts";
import { slices, type ToolCall } from "../performance.ts";
import { isObject, type Json } from "../protocols/read.ts";
import { instanceOf } from "../schema-instance.ts";
import { type Step, scriptText } from "./script.ts";

type ToolStep = Exclude<Step, readonly ["say", string] | readonly ["together", readonly Step[]]>;

const PIECE_LENGTH = 24;

/**
 * The call that does a step with the client's tools, whatever their names; null where no tool fits. Where the client
 * has no tools for files, a file is read and changed by commands, or by a patch.
 */
export function callFor(step: ToolStep, tools: readonly AskedTool[]): ToolCall | null {
  switch (step[0]) {
    case "read":
      return (
        fileCall(tools, ["read", "read_file", "view_file"], { path: step[1] }) ?? run(tools, `cat ${quoted(step[1])}`)
      );
    case "view":
      return fileCall(tools, ["view_image", "read", "read_file"], { path: step[1] });
    case "write":
      return write(tools, step[1], step[2]);
    case "edit":
      return edit(tools, step);
    case "run":
      return run(tools, step[1]);
    case "agent":
      return delegate(tools, scriptText(step[1]));
    case "call":
      return callNamed(tools, step[1], step[2]);
  }
}

function write(tools: readonly AskedTool[], path: string, content: string): ToolCall | null {
  const added = content.split("\n").map((line) => `+${line}`);
  return (
    fileCall(tools, ["write", "write_file", "create_file"], { path, content }) ??
    patch(tools, [`*** Add File: ${path}`, ...added]) ??
    run(tools, `printf %s ${quoted(content)} > ${quoted(path)}`)
  );
}

function edit(tools: readonly AskedTool[], [, path, old_text, new_text]: readonly ["edit", string, string, string]) {
  return (
    fileCall(tools, ["edit", "edit_file", "replace"], { path, old_text, new_text }) ??
    patch(tools, [`*** Update File: ${path}`, "@@", `-${old_text}`, `+${new_text}`]) ??
    run(tools, `perl -pi -e ${quoted(`s/\\Q${old_text}\\E/${new_text}/`)} ${quoted(path)}`)
  );
}

/** The names that clients give to the inputs of their file tools. */
const INPUTS: Readonly<Record<string, readonly string[]>> = {
  path: ["file_path", "filePath", "filepath", "path", "absolute_path"],
  content: ["content", "contents", "file_text"],
  old_text: ["old_string", "oldString", "old_str"],
  new_text: ["new_string", "newString", "new_str"],
};

function fileCall(
  tools: readonly AskedTool[],
  names: readonly string[],
  inputs: Readonly<Record<string, string>>,
): ToolCall | null {
  const tool = find(tools, names);
  const known = tool === null ? {} : propertiesOf(tool);
  const named = Object.entries(inputs).map(([input, value]) => [INPUTS[input]?.find((name) => name in known), value]);
  if (tool === null || named.some(([name]) => name === undefined)) return null;
  return call(tool, Object.fromEntries(named) as Json);
}

function patch(tools: readonly AskedTool[], lines: readonly string[]): ToolCall | null {
  const tool = find(tools, ["apply_patch"]);
  const text = ["*** Begin Patch", ...lines, "*** End Patch"].join("\n");
  return tool === null ? null : call(tool, tool.custom ? text : { [firstOf(tool) ?? "input"]: text });
}

function run(tools: readonly AskedTool[], command: string): ToolCall | null {
  const tool = find(tools, ["bash", "exec_command", "shell_command", "shell", "run_shell_command", "run_commands"]);
  if (tool === null) return null;
  const known = propertiesOf(tool);
  if ("cmd" in known) return call(tool, { cmd: command });
  if ("commands" in known) return call(tool, { commands: [command] });
  const is_list = isObject(known.command) && known.command.type === "array";
  return call(tool, { command: is_list ? ["bash", "-lc", command] : command });
}

function delegate(tools: readonly AskedTool[], prompt: string): ToolCall | null {
  const tool = find(tools, ["agent", "task", "spawn_agent"]);
  if (tool === null) return null;
  const known = propertiesOf(tool);
  const kind =
    "subagent_type" in known
      ? { subagent_type: /general-purpose/.test(toldBy(tool)) ? "general-purpose" : "general" }
      : {};
  // Asks the client to wait for the tool where it could run in the background.
  const wait = "run_in_background" in known ? { run_in_background: false } : {};
  return call(tool, { ...kind, ...wait, ["prompt" in known ? "prompt" : "message"]: prompt });
}

function callNamed(tools: readonly AskedTool[], name: string, input: Json | string): ToolCall | null {
  const tool = find(tools, [name]);
  return tool === null ? null : call(tool, input);
}

/** The first of these names among the offered tools, in upper or lower case. */
function find(tools: readonly AskedTool[], names: readonly string[]): AskedTool | null {
  for (const name of names) {
    const tool = tools.find((each) => each.name.toLowerCase() === name.toLowerCase());
    if (tool !== undefined) return tool;
  }
  return null;
}

function propertiesOf({ schema }: AskedTool): Json {
  return isObject(schema) && isObject(schema.properties) ? schema.properties : {};
}

function firstOf(tool: AskedTool): string | undefined {
  return Object.keys(propertiesOf(tool))[0];
}

function toldBy(tool: AskedTool): string {
  return JSON.stringify([tool.schema, tool.description]);
}

/** A call with these inputs; other required inputs get made-up values. */
function call(tool: AskedTool, input: Json | string): ToolCall {
  const text = typeof input === "string" ? input : JSON.stringify({ ...demanded(tool, input), ...input });
  return { type: "tool_call", name: tool.name, pieces: slices(text, PIECE_LENGTH), custom: tool.custom };
}

function demanded(tool: AskedTool, given: Json): Json {
  const { schema } = tool;
  if (!isObject(schema) || !Array.isArray(schema.required)) return {};
  const known = propertiesOf(tool);
  const names = schema.required.filter((name): name is string => typeof name === "string" && !(name in given));
  return Object.fromEntries(names.map((name) => [name, instanceOf(known[name])]));
}

function quoted(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}
