/**
 * Code that this project bans, each ban with its replacement and its reason. A ban is a pattern on code (comments are
 * removed first) in the files that match `where`; `except` names the files that implement the replacement, or that have
 * a reason of their own. Bans that any project would have are in biome.jsonc.
 */
export interface Ban {
  readonly name: string;
  readonly pattern: RegExp;
  readonly where: RegExp;
  readonly instead: string;
  readonly because: string;
  /** Set where the pattern matches comments. */
  readonly in_comments?: true;
  /** Path (or folder, ending in a slash) → the reason for the exception. */
  readonly except?: Readonly<Record<string, string>>;
}

const PRODUCT = /^(src|simulator|contract)\//;
const SOURCE = /^src\//;
const EVERYWHERE = /\.(ts|tsx)$/;
/** Of an engine that moves whole sets of books between servers (docs/scale.md). */
const DISTRIBUTED = "Citus, which docs/scale.md names, refuses";
const QUOTED = {
  "scripts/house/bans.ts": "quotes what it bans",
  "proofs/suites/house/house-rules.test.ts": "plants what is banned",
};

export const BANS: readonly Ban[] = [
  {
    name: "reading the environment",
    pattern: /\b(process|Bun|import\.meta)\.env\b/,
    where: PRODUCT,
    instead: "take the value as a parameter; src/main.ts reads it",
    because: "what a room depends on must be visible where it is made, and tests must not depend on the machine",
    except: { "src/main.ts": "the composition root" },
  },
  {
    name: "the system clock",
    pattern: /\bDate\.now\(|\bnew Date\(\)/,
    where: SOURCE,
    instead: "a Clock that is handed in, or systemClock where no test needs to move it (core/clock.ts)",
    because: "tests move the clock, and money is dated by the database's clock (performance.now for durations is fine)",
    except: { "src/core/clock.ts": "it is the clock", "src/store/": "SQLite's clock is this machine's clock" },
  },
  {
    name: "weak randomness",
    pattern: /\bMath\.random\b|\brandomUUID\b/,
    where: PRODUCT,
    instead: "newId or randomBase62 (core/ids.ts); for a share of traffic take a `random` parameter",
    because: "ids must not be guessable and must name their kind, and tests must be able to choose",
    except: { "simulator/": "what it makes up protects nothing" },
  },
  {
    name: "console output",
    pattern: /\bconsole\.\w+\(/,
    where: PRODUCT,
    instead: "the logger of observe/",
    because: "logs are JSON lines with secrets taken out; stdout belongs to commands that print results",
    except: { "src/cli/": "printing is what a command does", "simulator/": "a program of its own" },
  },
  {
    name: "ending the process",
    pattern: /\bprocess\.exit\(/,
    where: SOURCE,
    instead: "throw, or return an exit status to src/main.ts",
    because: "an exit in the middle skips the drain: open streams are cut and holds are left",
    except: {
      "src/main.ts": "decides when the process ends",
      "src/main/workers/run-process.ts": "so do the programs of a worker and of the ledger's process",
      "src/cli/": "a command ends with its status",
    },
  },
  {
    name: "floats near money",
    pattern: /\bparseFloat\(|\bNumber\(|\bMath\.(round|floor|ceil|trunc)\(|\.toFixed\(/,
    where: /^src\/(ledger\/|core\/(money\/(money|price)|ledger\/ledger)\.ts)/,
    instead: "bigint micro units and the functions of core/money/money.ts",
    because: "0.1 + 0.2 is not 0.3, and a balance beyond 2^53 would be rounded silently",
    except: { "src/core/money/money.ts": "the one place where an amount becomes a JSON number, after a range check" },
  },
  {
    name: "a bare fetch",
    pattern: /(?<![.\w#])fetch\(/,
    where: SOURCE,
    instead: "send (upstream/)",
    because: "it has the vendor's timeouts, the pool, the credential and the abort signal",
    except: { "src/upstream/": "the replacement itself", "src/cli/": "commands talk to the gateway, not to vendors" },
  },
  {
    name: "a server outside the edge",
    pattern: /\bBun\.(serve|listen)\(|\bcreateServer\(/,
    where: SOURCE,
    instead: "a route in http/ or console-api/",
    because: "there is one edge with one set of limits, request ids and error styles",
    except: { "src/wire/server/": "the server of that edge" },
  },
  {
    name: "a database outside the store",
    pattern: /"bun:sqlite"|\bBun\.(sql|SQL)\b|\bnew SQL\(|import \{[^}]*\b(SQL|sql)\b[^}]*\} from "bun"/,
    where: SOURCE,
    instead: "the ports of core/store/ports.ts",
    because: "one suite holds both drivers to the same behaviour; a query elsewhere would run on one of them",
    except: { "src/store/": "the drivers" },
  },
  {
    name: "a sub-select among inserted values",
    pattern: /INSERT INTO[^;]{0,400}?VALUES[^;]{0,400}?\(\s*SELECT/,
    where: /^src\/store\//,
    instead: "a statement of its own before the insertion, in its transaction",
    because: `${DISTRIBUTED} subqueries in INSERT queries`,
  },
  {
    name: "a condition that is always true in an insertion",
    pattern: /\bWHERE true\b[^;]{0,400}?ON CONFLICT/i,
    where: /^src\/store\//,
    instead: "GROUP BY, or a condition on a column: either tells SQLite that ON CONFLICT is no join's",
    because: `${DISTRIBUTED} it: it is written wrongly for the server that has the rows`,
  },
  {
    name: "a column that is added with its check",
    pattern: /\bADD COLUMN\b[^;,]*\bCHECK\b/,
    where: /^src\/store\//,
    instead: "ADD COLUMN, and then ADD CONSTRAINT with a name in a statement of its own",
    because: `${DISTRIBUTED} constraints without names`,
  },
  {
    name: "a trigger with a transition table",
    pattern: /\bREFERENCING\b/,
    where: /^src\/store\//,
    instead: "a row trigger, or a comparison in the audit",
    because: `${DISTRIBUTED} such triggers`,
    except: {
      "src/store/schema/0001-entries.ts": "the ledger decides by the same rules, and the audit compares",
      "src/store/schema/0001-requests.ts": "the ledger decides by the same rules, and the audit compares",
      "src/store/schema/0001-usage.ts": "sums that are made anew",
    },
  },
  {
    name: "parts of a part",
    pattern: /\bPARTITION OF\b[^;`]*\bPARTITION BY\b/,
    where: /^src\/store\//,
    instead: "one level of parts",
    because: `${DISTRIBUTED} more than one`,
    except: { "src/store/schema/0001-requests.ts": "deploy/postgres/cell-on-citus.sql makes one of them" },
  },
  {
    name: "a list as arguments",
    pattern: /\.(push|unshift)\(\.\.\./,
    where: /^src\/(protocols|decider)\//,
    instead: "a loop that pushes each item",
    because: "a call takes some 65,000 arguments, and clients and vendors send longer lists (docs/adr/0026)",
  },
  {
    name: "a list that is searched for each item of another",
    pattern: /\.(?:filter|map|flatMap|some|every|find|findIndex)\(\([^)\n]*\) =>[^;\n]*\.includes\(/,
    where: /^src\/protocols\//,
    instead: "a Set of the one list, made before the loop over the other",
    because: "clients and vendors send lists of 100,000 items (docs/adr/0026)",
    except: {
      "src/protocols/shared/effort.ts": "the effort levels that exist",
      "src/protocols/shared/vendor-error.ts": "words in one short name",
      "src/protocols/chat-completions/relayed-messages.ts": "the families of vendors that exist",
      "src/protocols/responses/stream.ts": "bytes in a frame",
    },
  },
  {
    name: "parsing without a bound",
    pattern: /\bJSON\.parse\(/,
    where: /^src\/(protocols|console-api\/answer)\//,
    instead: "parseJson (protocols/shared/parse-json.ts)",
    because: "a text of clients, vendors or models may nest so deep that what reads the value overflows the stack",
    except: {
      "src/protocols/shared/parse-json.ts": "it is the replacement, and judges the depth itself",
      "src/protocols/shared/json-shape.ts": "a key, which is a string",
      "src/protocols/shared/json-members.ts": "a key, which is a string",
      "src/protocols/shared/content-tape.ts": "the inside of a string",
      "src/protocols/translate/custom-tools.ts": "the inside of a string",
      "src/protocols/chat-completions/relayed-messages.ts": "a part of a body that was parsed before",
      "src/protocols/messages/prepare-body.ts": "a part of a body that was parsed before",
      "proofs/grammars/grammar-values.ts": "grammars import nothing that they judge",
    },
  },
  {
    name: "a worker of another room",
    pattern: /\bnew Worker\([^;]*?\.\.\//,
    where: SOURCE,
    instead: "a function of that room that starts its own worker",
    because: "a path in a URL is an import that the import check cannot see",
  },
  {
    name: "a runtime module in a room for every runtime",
    pattern: /(from|import) "(node|bun)(:|")/,
    where: /^(src\/core|contract|console)\//,
    instead: "a plain type, or a port that a room above implements",
    because: "contract and console run in browsers, and the floor must be loadable by both",
  },
  {
    name: "a value of core in the contract",
    pattern: /^(import|export) (?!type\b)[^;]*?from "(\.\.\/)+src\/core\/(?!(money\/money|people\/tag-values)\.ts")/,
    where: /^contract\//,
    instead: "`import type`",
    because:
      "the console bundles the contract; the gateway's code must not come along (core/money/money.ts and core/people/tag-values.ts import nothing and may)",
  },
  {
    name: "a value of the contract in the console",
    pattern:
      /^import (?!type\b)[^;]*?from "(\.\.\/)+contract\/(?!(alert-types|day|amounts|csv|model-limit-text|tag-limit-text|permissions|published-lists|tag-rules)\.ts")/,
    where: /^console\//,
    instead: "`import type`, or a constant of its own checked against the type with `satisfies`",
    because:
      "a value brings the schema library to every browser (contract/alert-types.ts, day.ts, amounts.ts, csv.ts, model-limit-text.ts, tag-limit-text.ts, permissions.ts, published-lists.ts and tag-rules.ts do not need it and may come)",
  },
  {
    name: "a format in the browser's language",
    pattern: /\bnew Intl\.\w+\((undefined|\)|\[\])|\.toLocale\w*String\(\)/,
    where: /^console\/src\//,
    instead: "LANGUAGE of kit/language.ts",
    because: "the console's words are English, and a sentence is in one language",
  },
  {
    name: "a note to do it later",
    pattern: /\b(TODO|FIXME|XXX|HACK)\b/,
    where: EVERYWHERE,
    in_comments: true,
    instead: "do it, or write an issue",
    because: "notes in code are read by nobody who decides what is done next",
    except: QUOTED,
  },
  {
    name: "a cast through unknown",
    pattern: /\bas unknown as\b/,
    where: PRODUCT,
    instead: "a type that is true, or a check that narrows",
    because: "it says that two types have nothing in common and that it does not matter",
  },
  {
    name: "an error silenced by a comment",
    pattern: /@ts-(ignore|expect-error|nocheck)|\bas any\b/,
    where: EVERYWHERE,
    in_comments: true,
    instead: "a type that is true; for input from outside, a check (isObject, a typebox schema)",
    because: "the compiler stops watching from there on",
    except: QUOTED,
  },
];
