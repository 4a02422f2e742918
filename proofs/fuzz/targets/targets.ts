import { decisionAnswers } from "./decision-answers.ts";
import { eventStream } from "./event-stream.ts";
import { forms } from "./forms.ts";
import { httpAnswers } from "./http-answers.ts";
import { httpRequests } from "./http-requests.ts";
import { jsonMembers } from "./json-members.ts";
import { reading } from "./reading.ts";
import { requests } from "./requests.ts";
import { sseFrames } from "./sse-frames.ts";
import { streams } from "./streams.ts";
import { strictTargets } from "./strict-targets.ts";
import type { FuzzTarget } from "./target.ts";
import { wholes } from "./wholes.ts";

export const TARGETS: readonly FuzzTarget[] = [
  httpRequests,
  httpAnswers,
  jsonMembers,
  sseFrames,
  eventStream,
  streams,
  wholes,
  reading,
  requests,
  strictTargets,
  decisionAnswers,
  forms,
];
