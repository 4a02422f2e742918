import { describe, expect, test } from "bun:test";
import type { AskedTool } from "../ask.ts";
import { callFor } from "./use-tool.ts";

function tool(name: string, properties: object, required: readonly string[] = []): AskedTool {
  return { name, schema: { type: "object", properties, required }, description: "", custom: false };
}

const TEXT = { type: "string" };
const FILE_TOOLS = [
  tool("Read", { file_path: TEXT, limit: { type: "number" } }),
  tool("Edit", { file_path: TEXT, old_string: TEXT, new_string: TEXT }),
  tool("Bash", { command: TEXT, description: TEXT }, ["command", "description"]),
  tool("Agent", { prompt: TEXT, description: TEXT, subagent_type: { enum: ["general-purpose"] } }, ["description"]),
];
const CAMEL_TOOLS = [tool("edit", { filePath: TEXT, oldString: TEXT, newString: TEXT })];
const COMMANDS = [tool("exec_command", { cmd: TEXT })];
const PATCHES = [{ ...tool("apply_patch", {}), custom: true }, ...COMMANDS];

function made(step: Parameters<typeof callFor>[0], tools: readonly AskedTool[]) {
  const call = callFor(step, tools);
  const text = call?.pieces.join("") ?? "";
  return [call?.name, call?.custom ? text : JSON.parse(text || "null")];
}

describe("a step is done with the client's tools", () => {
  test.each([
    ["a file tool", ["read", "/a"], FILE_TOOLS, ["Read", { file_path: "/a" }]],
    ["a command in place of a file tool", ["read", "/a b"], COMMANDS, ["exec_command", { cmd: "cat '/a b'" }]],
    [
      "an editor",
      ["edit", "/a", "x", "y"],
      FILE_TOOLS,
      ["Edit", { file_path: "/a", old_string: "x", new_string: "y" }],
    ],
    [
      "other names",
      ["edit", "/a", "x", "y"],
      CAMEL_TOOLS,
      ["edit", { filePath: "/a", oldString: "x", newString: "y" }],
    ],
    [
      "a patch",
      ["edit", "/a", "x", "y"],
      PATCHES,
      ["apply_patch", "*** Begin Patch\n*** Update File: /a\n@@\n-x\n+y\n*** End Patch"],
    ],
    ["what is demanded beside", ["run", "ls"], FILE_TOOLS, ["Bash", { description: "simulated", command: "ls" }]],
    [
      "a list for a command",
      ["run", "ls"],
      [tool("shell", { command: { type: "array" } })],
      ["shell", { command: ["bash", "-lc", "ls"] }],
    ],
    [
      "a list of commands",
      ["run", "ls"],
      [tool("run_commands", { commands: { type: "array" } })],
      ["run_commands", { commands: ["ls"] }],
    ],
    [
      "a sub-agent with a script of its own",
      ["agent", [["run", "ls"]]],
      FILE_TOOLS,
      ["Agent", expect.objectContaining({ subagent_type: "general-purpose", prompt: '<play>[["run","ls"]]</play>' })],
    ],
    ["any tool by name", ["call", "edit", { a: 1 }], CAMEL_TOOLS, ["edit", { a: 1 }]],
  ] as const)("%s", (_what, step, tools, expected) => {
    expect(made(step, tools)).toEqual([...expected]);
  });

  test("a step for which the client has no tool is not done", () => {
    expect(callFor(["run", "ls"], CAMEL_TOOLS)).toBeNull();
    expect(callFor(["agent", []], COMMANDS)).toBeNull();
  });
});
