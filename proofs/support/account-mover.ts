import { CellTools } from "../../src/store/cells/move/cell-tools.ts";

/**
 * A move of an account in a process of its own, which kills itself at a step: `bun account-mover.ts DIRECTORY CELLS ACCOUNT TO STEP`, with cells as `NAME=URL NAME=URL`.
 */
const [url = "", given = "", account_id = "", to = "", step = ""] = process.argv.slice(2);
const cells = given.split(" ").map((each) => {
  const at = each.indexOf("=");
  return { name: each.slice(0, at), url: each.slice(at + 1), weight: 1 };
});
await using tools = new CellTools(url, { directory_weight: 1, cells });
await tools.move(account_id, to, {
  wait_ms: 5000,
  onStep(taken) {
    if (taken === step) process.kill(process.pid, "SIGKILL");
  },
});
