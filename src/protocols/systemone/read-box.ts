import type { BoxAnswer } from "../../core/decision.ts";
import { isObject } from "../../core/json.ts";
import { answerMembers, readProbability, unusableAnswerError } from "../shared/decision-answer.ts";
import { type JsonPlace, memberOf } from "../shared/json-place.ts";

/**
 * The answer to a box question: its edges are shares of the image, from 0 to 1, top above bottom and left before right
 * (docs/rulings.md 175). They are members of the answer, or of an object `box` in it.
 */
export function readBox(answer: JsonPlace, members: ReadonlyMap<string, JsonPlace>): BoxAnswer {
  const inside = memberOf(answer, members, "box");
  const holder = isObject(inside.value) ? inside : answer;
  const edges = holder === answer ? members : answerMembers(holder);
  const edge = (name: string) => readProbability(memberOf(holder, edges, name));
  const [top, bottom, left, right] = [edge("top"), edge("bottom"), edge("left"), edge("right")];
  if (top >= bottom) throw unusableAnswerError(memberOf(holder, edges, "bottom"), "an edge below the top");
  if (left >= right)
    throw unusableAnswerError(memberOf(holder, edges, "right"), "an edge to the right of the left one");
  return { type: "box", keyed_text: answer.text };
}
