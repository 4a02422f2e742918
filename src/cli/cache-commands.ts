import type { Command } from "commander";
import { CacheState, EmptiedCache } from "../../contract/cache.ts";
import { type CallOptions, callAndPrint, gatewayCommand } from "./shared/command.ts";
import type { CliDeps } from "./shared/deps.ts";
import { CliFailure } from "./shared/failure.ts";
import { counted } from "./shared/table.ts";

interface EmptyOptions extends CallOptions {
  readonly account?: string | undefined;
  readonly all?: true;
  readonly yes?: true;
}

/** `camino cache …`: the stored answers that are given again (docs/rulings.md 183). */
export function addCacheCommands(program: Command, deps: CliDeps): void {
  const cache = program.command("cache").description("stored answers: how much room they take, and removing them");
  gatewayCommand(cache, "show", "how much room stored answers take, of one account or of all")
    .option("--account <account>", "only those of one account, an e-mail or account id")
    .action((options: EmptyOptions) => show(deps, options, inWords));
  gatewayCommand(cache, "empty", "remove stored answers: the next such requests are asked anew, and paid for")
    .option("--account <account>", "those of one account, an e-mail or account id")
    .option("--all", "those of all accounts")
    .option("--yes", "remove them; without this, only their size is printed")
    .action((options: EmptyOptions) => {
      const { account, all, yes } = options;
      if ((account === undefined) === (all === undefined))
        throw new CliFailure("Name either an account or, with --all, all of them.", { code: "invalid_argument" });
      if (yes !== true)
        return show(deps, options, (state) => `${inWords(state)}\nNothing is removed yet: --yes removes them.`);
      const call = { method: "POST", path: ["cache", "empty"], body: { account, all }, answer: EmptiedCache } as const;
      return callAndPrint(deps, options, call, ({ removed }) => `Removed ${counted(removed, "stored answer")}.`);
    });
}

function show(deps: CliDeps, options: EmptyOptions, words: (state: CacheState) => string) {
  const call = { method: "GET", path: ["cache"], query: { account: options.account }, answer: CacheState } as const;
  return callAndPrint(deps, options, call, words);
}

function inWords({ account, bytes, most_bytes, longest_s, charge_percent }: CacheState): string {
  const whose = account === null ? "of all accounts" : `of the account ${account}`;
  if (most_bytes === 0) return `No answers are stored; those ${whose} still take ${bytes} bytes.`;
  const kept = `those of all may take ${most_bytes}, for at most ${longest_s} s`;
  return `The stored answers ${whose} take ${bytes} bytes; ${kept}. One that is given again costs ${charge_percent} %.`;
}
