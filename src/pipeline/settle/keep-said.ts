import type { SentBody } from "../../core/answer/exchange.ts";
import { NO_USAGE } from "../../core/money/usage.ts";
import { quietly } from "../../observe/quietly.ts";
import type { OwnedRequest } from "../answer/running-request.ts";
import type { Said } from "../contents/said.ts";
import { endUserIdOf } from "../request/end-user.ts";
import { tagMetadata } from "../request/tag-metadata.ts";

/** A request with this header set to `off` is left out of what is kept. */
export const LOG_HEADER = "x-camino-log";

/** Whether what a request says is kept: its key keeps contents, and its client did not say otherwise (docs/rulings.md 184). */
export function isSaidKept({ deps, call }: Pick<OwnedRequest, "deps" | "call">): boolean {
  return deps.contents !== null && call.key.keeps_contents === true && call.headers.get(LOG_HEADER) !== "off";
}

/** What the client got. */
export interface Heard {
  readonly status: number;
  readonly error: string | null;
  readonly content_type: string | null;
  readonly answer: SentBody | null;
}

/** Keeps what a request said, once it has ended. Never throws; the caller does not wait. */
export function keepSaid(run: OwnedRequest, heard: Heard): void {
  const { contents, log } = run.deps;
  if (contents === null || !isSaidKept(run)) return;
  quietly(log, () => contents.keep(saidBy(run, heard)));
}

function saidBy(run: OwnedRequest, { status, error, content_type, answer }: Heard): Said {
  const { call, deps, plan, request, vendor_call } = run;
  const { asked } = vendor_call;
  const is_remote = request.remote !== undefined;
  return {
    ...{ account_id: call.key.account_id, request_id: call.request_id, key_id: call.key.id },
    ...{ at_ms: deps.clock.now_ms(), model: plan.model.id, endpoint: call.endpoint, status, error, content_type },
    tags: call.tagsText(is_remote ? null : tagMetadata(request.body)) ?? tagsOfKey(run),
    user: is_remote ? null : endUserIdOf(request.body),
    ...{ vendor: asked?.vendor.id ?? null, upstream_model: asked?.route.upstream_model ?? null },
    stream: request.stream,
    // Nobody here can read who the end user of a large request is, for whom its content would have to be deleted.
    sent: is_remote ? null : sentOf(run),
    answer: is_remote ? null : answer,
    toWhole: wholeOf(run),
  };
}

/** What went to the vendor, or what the client sent where none was asked. Of a form, its fields without its files. */
function sentOf({ request, vendor_call: { exchange } }: OwnedRequest): Said["sent"] {
  if (request.form !== undefined) return JSON.stringify(request.body);
  return exchange?.pieces ?? exchange?.parts ?? exchange?.body ?? request.text;
}

function tagsOfKey({ call: { key } }: OwnedRequest): string | null {
  return key.tags === undefined ? null : JSON.stringify(key.tags);
}

/** How the whole answer is made of a streamed one, where its style has both. */
function wholeOf({ deps, request, vendor_call: { asked } }: OwnedRequest): Said["toWhole"] {
  const converter = deps.converterOf(request.protocol);
  const target = asked?.target;
  if (converter === null || target === undefined) return null;
  return (stream) => {
    try {
      return converter.toWhole(stream, { request, target, usage: NO_USAGE, cost: undefined });
    } catch {
      return null;
    }
  };
}
