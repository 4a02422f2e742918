import { CELLS, type Cell, type Charged, HOWS, type How, MISHAPS, type Mishap } from "./ending-cells.ts";

/** The policy for people: generated, so that it says what the code does. */

export const BEGIN = "<!-- endings:begin";
export const END = "<!-- endings:end -->";

const HEADINGS: Readonly<Record<How, string>> = {
  streamed: "streamed",
  "streamed, hidden": "streamed, hidden reasoning",
  whole: "not streamed",
  decision: "decision",
};

const WORDS: Readonly<Record<Charged, string>> = {
  nothing: "nothing",
  delivered: "input and delivered",
  usage: "usage",
};

export function endingTable(): string {
  const lines = [
    `${BEGIN} (generated: WRITE_DOCS=1 npm test -- proofs/suites/failures/every-ending) -->`,
    `| What happens | The client gets | ${HOWS.map((how) => HEADINGS[how]).join(" | ")} | The receipt |`,
    `|---|---|${HOWS.map(() => "---").join("|")}|---|`,
    ...MISHAPS.map(
      (mishap) =>
        `| ${[mishap.name, told(mishap), ...HOWS.map((how) => cell(how, mishap)), receipt(mishap)].join(" | ")} |`,
    ),
    "| The wallet cannot pay for more output | the end `length` | input and delivered | | | | settled |",
    "| The gateway itself fails | 500, or an error inside the stream | nothing | nothing | nothing | nothing | voided, `internal_error` |",
    END,
  ];
  return lines.join("\n");
}

function told({ cause, phase }: Mishap): string {
  if (cause === "client_left") return "nothing more";
  return phase === "begun" ? "an error inside the stream" : "502 or 503; a stream that was opened fails";
}

function receipt({ cause, phase }: Mishap): string {
  if (cause === "vendor_failed") return phase === "begun" ? "settled, estimated, the error" : "voided, the error";
  return "settled where charged, else voided; estimated but for `usage`";
}

/** One word where all policies agree, else each with its own. */
function cell(how: How, mishap: Mishap): string {
  const cells = CELLS.filter((each) => each.how === how && each.mishap === mishap);
  const [first] = cells;
  if (first === undefined) return "";
  if (cells.every(({ charged }) => charged === first.charged)) return WORDS[first.charged];
  const by_charge = Map.groupBy(cells, ({ charged }) => charged);
  return [...by_charge].map(([charged, some]) => `${policiesOf(some)}: ${WORDS[charged]}`).join("; ");
}

function policiesOf(cells: readonly Cell[]): string {
  return cells.map(({ policy }) => `\`${policy}\``).join(", ");
}
