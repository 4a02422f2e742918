import type { Turn } from "../ask.ts";

/**
 * What an agent's model is to do, step by step: written as JSON between `<play>` and `</play>` anywhere in a user's text.
 * A step's arguments are texts; paths are absolute, as agents want them.
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
  /** Several at once. */
  | readonly ["together", steps: readonly Step[]]
  /** Ends the turn with that text. */
  | readonly ["say", text: string];

/** Where an agent stands in its script. */
export interface Progress {
  /** What is still to be done, the next step first. */
  readonly left: readonly Step[];
  /** The conversation is to be summed up, and goes on from the summary. */
  readonly must_summarize: boolean;
}

/** The steps as a text that a user or another agent may give to an agent. */
export function scriptText(steps: readonly Step[]): string {
  return `<play>${JSON.stringify(steps)}</play>`;
}

const PLAY = /<play>.*?<\/play>/s;
const PLAYS = /<play>(.*?)<\/play>/gs;
const REMINDERS = /<system-reminder>.*?(?:<\/system-reminder>|$)/gs;
const SUMMARY = /\b(?:summary|summari[sz]e|compaction)\b/i;

/**
 * The progress in the last script of a conversation; null where there is none. Each call that was made since then is a
 * step done. What a client adds by itself in `<system-reminder>` tags is nobody's wish.
 */
export function progressIn(turns: readonly Turn[]): Progress | null {
  const start = turns.findLastIndex(({ text }) => PLAY.test(text));
  const from = turns[start];
  const steps = readSteps(from?.text ?? "");
  if (from === undefined || steps === null) return null;
  const told = toldIn(from.text);
  // A summary of the model's own may be one turn with the calls that a client has kept behind it.
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
 * What a text says of a conversation that it tells in `<conversation>` tags, as some clients do when they compact: the calls
 * that were made since the script in it, and whether it is to be summed up. Null for a text that tells none.
 */
function toldIn(text: string): { readonly calls: number; readonly must_summarize: boolean } | null {
  const start = text.indexOf("<conversation>");
  const end = text.lastIndexOf("</conversation>");
  if (start < 0 || end < start) return null;
  const conversation = text.slice(start, end);
  const since_script = conversation.slice(conversation.lastIndexOf("</play>") + 1);
  return { calls: since_script.match(TOLD_CALL)?.length ?? 0, must_summarize: SUMMARY.test(text.slice(end)) };
}

/** The steps of the text's last script, as vendors are sent messages of one role in a row as one; null where it has none that can be read. */
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
