import type { BoxAnswer, DecisionRequest, DecisionVendorProtocol, VendorDecision } from "../../core/answer/decision.ts";
import type { WholeBody } from "../../core/answer/exchange.ts";
import { isObject } from "../../core/json.ts";
import {
  answerMembers,
  type Members,
  readDecision,
  readProbability,
  unusableAnswerError,
} from "../shared/decision-answer.ts";
import { type JsonPlace, memberOf } from "../shared/json-place.ts";
import { readVendorError } from "../shared/vendor-error.ts";
import { encodeRequest } from "./encode-request.ts";
import { optionKeys, questionKeys } from "./keys.ts";

/**
 * The vendor protocol of vendors that answer decisions in the keyed shape of `/v1/systemone` (docs/api.md 2.7, 4.7).
 */
export const systemoneVendor: DecisionVendorProtocol = {
  protocol: "systemone",
  encodeRequest,
  decodeAnswer,
  readError: readVendorError,
};

/** Reads an answer in the keyed shape of `/v1/systemone`: see `readDecision`. */
function decodeAnswer(body: WholeBody, request: DecisionRequest): VendorDecision {
  return readDecision(body, request, {
    answersIn: (answers, questions) => readKeyed(answers, questionKeys(questions), "the questions"),
    predicate: { type: "noul", member: "noul" },
    optionKeys,
    options: "options",
    levelKey: String,
    chancesIn: (place, keys, what) => readKeyed(place, keys.map(String), what),
    box: readBox,
  });
}

/** The members of an object in the order of `keys`; throws unless the object has exactly these keys. */
function readKeyed(place: JsonPlace, keys: readonly string[], what: string): readonly JsonPlace[] {
  const members = answerMembers(place);
  const places = keys.map((key) => memberOf(place, members, key));
  const absent = places.find(({ value }) => value === undefined);
  if (absent !== undefined) throw unusableAnswerError(absent, `an entry for each of ${what}`);
  if (members.size === keys.length) return places;
  const asked = new Set(keys);
  const other = [...members].find(([key]) => !asked.has(key));
  throw unusableAnswerError(other?.[1] ?? place, `nothing, as it is not one of ${what}`);
}

/**
 * The answer to a box question: its edges are shares of the image, from 0 to 1, top above bottom and left before right
 * (docs/rulings.md 175). They are members of the answer, or of an object `box` in it.
 */
function readBox(answer: JsonPlace, members: Members): BoxAnswer {
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
