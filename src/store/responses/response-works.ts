import type { ResponseStore } from "../../core/answer/stored-responses.ts";
import { worksOf } from "../calls/works-of.ts";
import * as cachedAnswers from "./cached-answers.ts";
import * as contents from "./contents.ts";
import { RESPONSE_KINDS } from "./response-calls.ts";
import * as storedResponses from "./stored-responses.ts";

export const RESPONSE_WORKS = worksOf<ResponseStore>(RESPONSE_KINDS, {
  ...{ ...storedResponses, ...cachedAnswers, ...contents },
});
