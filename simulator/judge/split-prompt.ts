/** A prompt's state and its question. */
interface SplitPrompt {
  readonly state: string;
  readonly question: string;
}

const STATE_NAMES = /^(?:the[ _-])?(?:state|input|data|document|context|content|situation)s?(?![a-z])/i;
const QUESTION_NAMES = /^(?:the[ _-])?(?:question|statement|instructions?|claim|task|criterion|rubric)/i;
const TAGGED = /<([a-z][\w-]*)(?:\s[^>]*)?>([\s\S]*?)<\/\1>/gi;
const HEADING = /^[#*\s]*([A-Za-z][\w -]{0,30}?)\s*(?:\([^)]*\)\s*)?(?::[*\s]*(.*)|\*{2}|)$/;

/** `BEGIN NAME CODE` … `END NAME CODE`, each a line of its own. */
const FENCED = /^BEGIN ([A-Z]+) ?(\S*)\n([\s\S]*?)^END \1 ?\2$/m;

/**
 * Separates the state from the question in the text before the options: by lines that begin and end it (`BEGIN MATERIAL
 * 1f`), by tags (`<state>…</state>`), else by headings (`State:`, `## Question`), else the last paragraph is the
 * question. When the text has no state, the state is `elsewhere`.
 */
export function splitPrompt(text: string, elsewhere: string): SplitPrompt {
  const fence = FENCED.exec(text);
  if (fence !== null) {
    const [whole, , code = "", body = ""] = fence;
    const rest = byHeadings(text.slice(fence.index + whole.length));
    return { state: withoutLinesOf(code, body), question: rest.question || rest.rest };
  }
  const tagged = byTags(text);
  const found = tagged.state === "" && tagged.question === "" ? byHeadings(text) : tagged;
  if (found.state !== "" && found.question !== "") return found;
  if (found.state !== "") return { state: found.state, question: found.rest };
  if (found.question !== "") return { state: elsewhere === "" ? found.rest : elsewhere, question: found.question };
  const paragraphs = text.trim().split(/\n\s*\n/);
  const question = paragraphs.pop() ?? "";
  const state = paragraphs.length > 0 ? paragraphs.join("\n\n") : elsewhere;
  return { state: state === "" ? question : state, question };
}

/** The body without lines that contain a fence's code, which belong to the prompt itself. */
function withoutLinesOf(code: string, body: string): string {
  const lines = body.split("\n");
  return (code === "" ? lines : lines.filter((line) => !line.includes(code))).join("\n").trim();
}

interface Found extends SplitPrompt {
  readonly rest: string;
}

function byTags(text: string): Found {
  const found = { state: "", question: "" };
  const rest = text.replace(TAGGED, (whole: string, name: string, body: string) => {
    if (STATE_NAMES.test(name)) found.state += `${body}\n`;
    else if (QUESTION_NAMES.test(name)) found.question += `${body}\n`;
    else return whole;
    return "\n";
  });
  return { state: found.state.trim(), question: found.question.trim(), rest: rest.trim() };
}

function byHeadings(text: string): Found {
  const found = { state: "", question: "", rest: "" };
  let into: keyof typeof found = "rest";
  for (const line of text.split("\n")) {
    const [, name, rest] = HEADING.exec(line) ?? [];
    const named =
      name === undefined ? null : STATE_NAMES.test(name) ? "state" : QUESTION_NAMES.test(name) ? "question" : null;
    if (named !== null) into = named;
    found[into] += `${named === null ? line : (rest ?? "")}\n`;
  }
  return { state: found.state.trim(), question: found.question.trim(), rest: found.rest.trim() };
}
