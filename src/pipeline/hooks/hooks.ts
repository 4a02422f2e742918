import type { HooksSettings } from "../../core/catalog/hook-settings.ts";
import { AfterHook } from "./after-hook.ts";
import { BeforeHook, type HookDeps } from "./before-hook.ts";

/** The operator's own servers that are asked about requests and told of answers. */
export interface Hooks {
  readonly before: BeforeHook | null;
  readonly after: AfterHook | null;
}

export function makeHooks({ before, after }: HooksSettings, deps: HookDeps): Hooks {
  return {
    before: before === undefined ? null : new BeforeHook(before, deps),
    after: after === undefined ? null : new AfterHook(after, deps),
  };
}
