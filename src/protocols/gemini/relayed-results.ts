import { isObject, type JsonRecord } from "../../core/json.ts";

type Turn = JsonRecord & { readonly parts: readonly unknown[] };

/**
 * The turns with the results of each turn's calls in one turn right behind it, in the order of the calls, where clients put something in
 * between or another order: Google's servers refuse that. The given list where all is right.
 */
export function resultsBehindCalls(turns: readonly unknown[]): readonly unknown[] {
  let ordered: unknown[] | null = null;
  for (let at = 0; at < turns.length; at++) {
    const turn = turns[at];
    ordered?.push(turn);
    const calls =
      isTurn(turn) && turn.role === "model" ? turn.parts.flatMap((part) => memberOf(part, "functionCall")) : [];
    if (calls.length === 0) continue;
    const between = untilNextAnswer(turns, at);
    const told = between.flatMap((later) => (isTurn(later) ? later.parts.filter(isResult) : []));
    const results = inOrderOf(calls, told);
    const next = between[0];
    if (told.length === 0 || (isTurn(next) && isSame(next.parts, results))) continue;
    ordered ??= turns.slice(0, at + 1);
    ordered.push({ role: "user", parts: results });
    for (const later of between) {
      const rest = isTurn(later) ? later.parts.filter((part) => !isResult(part)) : null;
      if (rest === null) ordered.push(later);
      else if (rest.length > 0) ordered.push({ ...(later as Turn), parts: rest });
    }
    at += between.length;
  }
  return ordered ?? turns;
}

function untilNextAnswer(turns: readonly unknown[], at: number): readonly unknown[] {
  let end = at + 1;
  for (; end < turns.length; end++) {
    const later = turns[end];
    if (isTurn(later) && later.role === "model") break;
  }
  return turns.slice(at + 1, end);
}

/** The results in the order of their calls, by ids or else by names; those that answer none come last. */
function inOrderOf(calls: readonly JsonRecord[], told: readonly unknown[]): readonly unknown[] {
  const waiting = [...told];
  const ordered = calls.flatMap(({ id, name }) => {
    const at = waiting.findIndex((part) => {
      const [result = {}] = memberOf(part, "functionResponse");
      const by_id = typeof id === "string" && id !== "" && typeof result.id === "string" && result.id !== "";
      return result.name === name && (!by_id || result.id === id);
    });
    return at === -1 ? [] : waiting.splice(at, 1);
  });
  return [...ordered, ...waiting];
}

function isSame(parts: readonly unknown[], results: readonly unknown[]): boolean {
  return parts.length === results.length && parts.every((part, at) => part === results[at]);
}

function isTurn(turn: unknown): turn is Turn {
  return isObject(turn) && Array.isArray(turn.parts);
}

function isResult(part: unknown): boolean {
  return memberOf(part, "functionResponse").length > 0;
}

function memberOf(part: unknown, name: "functionCall" | "functionResponse"): JsonRecord[] {
  const member = isObject(part) ? part[name] : undefined;
  return isObject(member) ? [member] : [];
}
