import type { AskedTurn } from "../ask.ts";

/**
 * The steps of an agent's model: written as JSON between `<play>` and `</play>` anywhere in a user's text. A step's
 * arguments are texts; paths are absolute, as agents require.
 */
export type Step =
  | readonly ["read", path: string]
  | readonly ["view", path: string]
  | readonly ["write", path: string, content: string]
  | readonly ["edit", path: string, old_text: string, new_text: string]
  | readonly ["run", command: string]
  /** Gives a sub-agent steps of its own. */
  | readonly ["agent", steps: readonly Step[]]
  /** Any tool by its name. */
  | readonly ["call", name: string, input: Readonly<Record<string, unknown>> | string]
  /** Several steps at once. */
  | readonly ["together", steps: readonly Step[]]
  /** Ends the turn with that text. */
  | readonly ["say", text: string];

/** An agent's position in its script. */
interface Progress {
  /** The steps that are left, the next step first. */
  readonly left: readonly Step[];
  /** Whether the client asks for a summary, from which the conversation will continue. */
  readonly must_summarize: boolean;
}

export function scriptText(steps: readonly Step[]): string {
  return `<play>${JSON.stringify(steps)}</play>`;
}

const PLAY = /<play>.*?<\/play>/s;
const PLAYS = /<play>(.*?)<\/play>/gs;
const REMINDERS = /<system-reminder>.*?(?:<\/system-reminder>|$)/gs;
const SUMMARY = /\b(?:summary|summari[sz]e|compaction)\b/i;

/**
 * The progress in the last script of a conversation; null where there is none. Each later call counts as a step done.
 * Text that a client adds in `<system-reminder>` tags is not read as a user's request.
 */
export function progressIn(turns: readonly AskedTurn[]): Progress | null {
  const start = turns.findLastIndex(({ text }) => PLAY.test(text));
  const from = turns[start];
  const steps = readSteps(from?.text ?? "");
  if (from === undefined || steps === null) return null;
  const told = toldIn(from.text);
  // A client may keep calls after a summary of the model's, and send summary and calls as one turn.
  let calls = told?.calls ?? (from.role === "assistant" ? from.calls : 0);
  let must_summarize = told?.must_summarize ?? false;
  for (const turn of turns.slice(start + 1)) {
    calls += turn.calls;
    if (turn.calls > 0) must_summarize = false;
    else if (turn.role === "user" && SUMMARY.test(turn.text.replace(REMINDERS, ""))) must_summarize = true;
  }
  return { left: leftAfter(steps, calls), must_summarize };
}

const TOLD_CALL = /^\[Assistant tool call\]:/gm;

/**
 * Reads a text that retells a conversation in `<conversation>` tags, as some clients send it when they compact: the
 * number of calls since the script in it, and whether it asks for a summary. Null for a text that retells none.
 */
function toldIn(text: string): { readonly calls: number; readonly must_summarize: boolean } | null {
  const start = text.indexOf("<conversation>");
  const end = text.lastIndexOf("</conversation>");
  if (start < 0 || end < start) return null;
  const conversation = text.slice(start, end);
  const since_script = conversation.slice(conversation.lastIndexOf("</play>") + 1);
  return { calls: since_script.match(TOLD_CALL)?.length ?? 0, must_summarize: SUMMARY.test(text.slice(end)) };
}

/**
 * The steps of the text's last script, because vendors get consecutive messages of one role as one; null where the text
 * has no readable script.
 */
function readSteps(text: string): readonly Step[] | null {
  const json = [...text.matchAll(PLAYS)].at(-1)?.[1];
  if (json === undefined) return null;
  try {
    const steps: unknown = JSON.parse(json);
    return Array.isArray(steps) ? (steps as Step[]) : null;
  } catch {
    return null;
  }
}

function leftAfter(steps: readonly Step[], calls: number): readonly Step[] {
  let made = 0;
  const next = steps.findIndex((step) => {
    if (step[0] === "say") return made >= calls;
    made += step[0] === "together" ? step[1].length : 1;
    return made > calls;
  });
  return next < 0 ? [] : steps.slice(next);
}
